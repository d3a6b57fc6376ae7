#!/usr/bin/env python
"""Run Forethought's command line."""

import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "planner_site.settings")
    try:
        from django.core.exceptions import ImproperlyConfigured
        from django.core.management import execute_from_command_line

        execute_from_command_line(sys.argv)
    except KeyboardInterrupt:
        sys.exit(130)
    except ImproperlyConfigured as error:
        # A wrong setting is the reader's to mend: one line, no traceback.
        sys.exit(str(error))
