// Room: Crypto.
