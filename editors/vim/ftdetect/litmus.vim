" Litmus tests, both dialects.
autocmd BufNewFile,BufRead *.litmus setfiletype litmus
