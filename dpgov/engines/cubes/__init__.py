"""Exact counts of small declared tables, made when a file is read: answers without reading rows.

A cube holds how many rows have each combination of codes of a few columns. It is a table of the
data file itself, so that it comes, is copied, linked, sealed, emptied and deleted with the rows
that it was counted from, and with no others. Which cubes there are, how large they are and which
questions they answer follows from declarations and plans alone (`privacy.plan.cubes`).
"""
