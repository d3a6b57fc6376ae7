"""The run, live: one tailer per web process reads the event table and feeds the sockets."""
