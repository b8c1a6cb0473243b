"""The whole product on one machine, with people and data to try it on. No product code."""
