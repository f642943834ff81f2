"""Debates on many machines by Temporal: a workflow for each, one activity that holds it.

Nothing outside this folder imports `temporalio`, and nothing imports this folder before it is used.
"""
