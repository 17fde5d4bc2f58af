# 1 MB each: the updates in the background of DeTail's queries.
1000000 0
1000000 100
