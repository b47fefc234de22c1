" What must hold in Vim: the filetype, and colours in both dialects.
let s:out = []
function! s:Check(name, holds) abort
  call add(s:out, (a:holds ? 'ok - ' : 'not ok - ') . 'vim: ' . a:name)
endfunction
function! s:GroupAt(pattern) abort
  call cursor(1, 1)
  call search(a:pattern)
  return synIDattr(synID(line('.'), col('.'), 1), 'name')
endfunction

function! s:Nested() abort
  call append('$', ['(* a (* b *) c *)', 'forall (x=1)'])
  return s:GroupAt('c \*)') ==# 'litmusComment' && s:GroupAt('forall') ==# 'litmusCondition'
endfunction

let &runtimepath = $FENCEPOST_ROOT . '/editors/vim,' . &runtimepath
filetype plugin on
syntax on
edit SB.litmus
call s:Check('a .litmus file has the filetype litmus', &filetype ==# 'litmus')
call s:Check('the dialect is coloured', s:GroupAt('litmus SB') ==# 'litmusDialect')
call s:Check('a thread is coloured', s:GroupAt('thread P0') ==# 'litmusThread')
call s:Check('the condition is coloured', s:GroupAt('exists') ==# 'litmusCondition')
call s:Check('a verdict is coloured', s:GroupAt('never') ==# 'litmusVerdict')
call s:Check('comments are those of both dialects', &commentstring ==# '(* %s *)')
edit shapes/LB.litmus
call s:Check('an instruction is coloured', s:GroupAt('MOV') ==# 'litmusInstruction')
call s:Check('a processor register is coloured', s:GroupAt('EAX,') ==# 'litmusCpuRegister')
call s:Check('nested comments end where they should', s:Nested())
call add(s:out, '# vim closed')
call writefile(s:out, '/dev/stdout')
qall!
