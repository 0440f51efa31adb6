// Room: Recipe.
