"""Stages that the Prefect UI shows, and below them the engines that do the work.

The modules right here are stages: thin Prefect tasks that read ids, call an engine and land
rows. The sub-packages are engines: they know neither Prefect nor the warehouse.
"""
