" Syntax of litmus tests: the native dialect, herd7's x86 columns and its C functions.
if exists('b:current_syntax')
  finish
endif
syntax case match

" Comments nest in herd's form.
syntax region litmusComment start='(\*' end='\*)' contains=litmusComment,litmusExpectWord,litmusTodo
syntax region litmusCComment start='/\*' end='\*/' contains=litmusTodo
syntax match  litmusCComment '//.*$' contains=litmusTodo
syntax keyword litmusTodo TODO FIXME XXX contained
syntax region litmusString start=+"+ skip=+\\.+ end=+"+

" The first word names the dialect.
syntax match litmusDialect '^\s*\zs\%(litmus\|X86_64\|X86\|C\)\ze\s\+\S' nextgroup=litmusTestName skipwhite
syntax match litmusTestName '\S\+' contained

" Conditions and expectations are the same in both dialects.
syntax keyword litmusCondition exists forall filter locations
syntax match   litmusCondition '\~\s*exists\>'
syntax keyword litmusExpect expect
syntax match   litmusExpectWord '\<expect\ze:' contained
syntax keyword litmusModel SC TSO PSO
syntax keyword litmusVerdict never sometimes always true false
syntax match   litmusRegister '\<\%(P\=\d\+\|\h\w*\)\%(\[[^]]*\]\)\=:\s*%\=\h\w*' contains=litmusThreadName
syntax match   litmusThreadName '\<\%(P\=\d\+\|\h\w*\)\ze\%(\[[^]]*\]\)\=:' contained

" Native.
syntax keyword litmusStorage shared mutex param const
syntax keyword litmusThread thread nextgroup=litmusThreadDef skipwhite
syntax match   litmusThreadDef '\h\w*' contained
syntax keyword litmusControl if else while max for in repeat break continue return
syntax keyword litmusCall xchg cas fetch_add fetch_sub fetch_and fetch_or fetch_xor fetch_max fetch_min lock unlock assert assume await
syntax match   litmusFence '\c\<\%(mfence\|sfence\|lfence\|smp_mb\|smp_wmb\|smp_rmb\|barrier\|smp_mb__before_atomic\|smp_mb__after_atomic\|smp_mb__after_spinlock\|smp_mb__after_unlock_lock\|atomic_thread_fence\)\>'

" herd columns.
syntax match litmusMeta '^\u\a*=.*$' contains=litmusMetaKey
syntax match litmusMetaKey '^\u\a*\ze=' contained
syntax match litmusInstruction '\c\<\%(mov[sz][bwl]\|mov\|xchg\|movabs\|movzx\|movsx\|movsxd\|lea\|xadd\|cmpxchg\|inc\|dec\|neg\|not\|add\|sub\|and\|or\|xor\|shl\|sal\|shr\|sar\|rol\|cmp\|test\|ret\|nop\|pause\|endbr64\|endbr32\|prefetcht0\|prefetcht1\|prefetcht2\|prefetchnta\|prefetchw\|clflush\|clflushopt\)[bwlq]\=\ze\s\+[\[$%(0-9A-Za-z]'
syntax match litmusControl '\c\<\%(jmp\|je\|jz\|jne\|jnz\|jl\|jnge\|jge\|jnl\|jle\|jng\|jg\|jnle\|jb\|jc\|jnae\|jae\|jnb\|jnc\|jbe\|jna\|ja\|jnbe\|js\|jns\|jo\|jno\|jp\|jpe\|jnp\|jpo\)\ze\s\+\h\w*\s*[|;]'
syntax match litmusCpuRegister '\c%\=\<\%(rax\|eax\|ax\|al\|ah\|rbx\|ebx\|bx\|bl\|bh\|rcx\|ecx\|cx\|cl\|ch\|rdx\|edx\|dx\|dl\|dh\|rsi\|esi\|si\|sil\|rdi\|edi\|di\|dil\|rbp\|ebp\|bp\|bpl\|rsp\|esp\|sp\|spl\|r8\|r8d\|r8w\|r8b\|r9\|r9d\|r9w\|r9b\|r10\|r10d\|r10w\|r10b\|r11\|r11d\|r11w\|r11b\|r12\|r12d\|r12w\|r12b\|r13\|r13d\|r13w\|r13b\|r14\|r14d\|r14w\|r14b\|r15\|r15d\|r15w\|r15b\|rip\|eip\|ip\|cs\|ds\|es\|fs\|gs\|ss\)\>'
syntax match litmusColumn '|'
syntax match litmusHeading '\%(^\s*\||\s*\)\zsP\d\+\ze\s*[|;]'
syntax keyword litmusType int long char short uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t

" C: in a function `(*x` is no comment.
syntax keyword litmusCType int long char short unsigned volatile const void intptr_t atomic_t spinlock_t atomic_int contained
syntax match   litmusPrimitive '\<\h\w*\ze\s*(' contained
syntax keyword litmusPrimitiveControl if else while contained
syntax match   litmusOrder '\<memory_order_\a\+\>' contained
if getline(nextnonblank(1)) =~# '^C\s'
  syntax region litmusFunction matchgroup=litmusHeading start='^P\d\+\ze\s*(' end='^}' contains=litmusCComment,litmusCType,litmusPrimitive,litmusPrimitiveControl,litmusOrder,litmusFence,litmusNumber,litmusOperator
endif

syntax match litmusNumber '\<\%(0[xX]\x\+\|\d\+\)\>'
syntax match litmusNumber '\$-\=\%(0[xX]\x\+\|\d\+\)\>'
syntax match litmusOperator '/\\\|\\/\|&&\|||\|[=!<>]=\|[<>=~!+*%&^-]'

highlight default link litmusComment Comment
highlight default link litmusCComment Comment
highlight default link litmusTodo Todo
highlight default link litmusString String
highlight default link litmusDialect PreProc
highlight default link litmusTestName Title
highlight default link litmusCondition Statement
highlight default link litmusExpect Statement
highlight default link litmusExpectWord SpecialComment
highlight default link litmusModel Constant
highlight default link litmusVerdict Boolean
highlight default link litmusRegister Identifier
highlight default link litmusCpuRegister Identifier
highlight default link litmusThreadName Function
highlight default link litmusThreadDef Function
highlight default link litmusHeading Function
highlight default link litmusStorage StorageClass
highlight default link litmusThread StorageClass
highlight default link litmusType Type
highlight default link litmusCType Type
highlight default link litmusPrimitive Function
highlight default link litmusPrimitiveControl Repeat
highlight default link litmusOrder Constant
highlight default link litmusControl Repeat
highlight default link litmusCall Function
highlight default link litmusInstruction Keyword
highlight default link litmusFence Special
highlight default link litmusMeta String
highlight default link litmusMetaKey PreProc
highlight default link litmusColumn Delimiter
highlight default link litmusNumber Number
highlight default link litmusOperator Operator

" A comment may be long: look far enough back for its start.
syntax sync minlines=200
let b:current_syntax = 'litmus'
