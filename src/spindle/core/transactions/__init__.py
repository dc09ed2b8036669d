"""The transaction coordinator: writers of a transactional id, and the end of transactions."""
