"""What an operator sees of the running product: log lines, request ids and tallies.

Must never know a question, an answer or a person: only that something happened, where and when.
"""
