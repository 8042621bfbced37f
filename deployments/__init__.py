"""How Tackroom is started: the command line, the Prefect server, served deployments."""
