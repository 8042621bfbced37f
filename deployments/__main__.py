"""`python -m deployments` is the `tackroom` command."""

from deployments.cli import main

if __name__ == "__main__":
    main()
