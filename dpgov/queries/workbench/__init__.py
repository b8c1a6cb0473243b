"""What an analyst keeps, tries, compares and asks an owner for."""
