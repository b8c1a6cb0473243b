"""90 days of an organisation, lived through by its people with the product's own services.

Invented people and tables; the noise and the log are real.
"""
