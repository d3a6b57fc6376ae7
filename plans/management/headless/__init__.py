"""What `rungoal` and `runplan` share: hand in files, wait for the run, print one document."""
