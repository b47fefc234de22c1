" Comments and indentation of litmus tests.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

" `(* *)` is a comment in both dialects; `//` only in the native one.
setlocal commentstring=(*\ %s\ *)
setlocal comments=s:(*,m:\ *,ex:*),://
setlocal shiftwidth=2 softtabstop=2 expandtab
setlocal cindent cinoptions=J1,+0
let b:undo_ftplugin = 'setlocal commentstring< comments< shiftwidth< softtabstop< expandtab< cindent< cinoptions<'
