"""The imperative shell: everything that awaits, reads or writes lives here."""
