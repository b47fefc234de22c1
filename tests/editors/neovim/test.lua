-- What must hold in Neovim with its built-in client and the plugin.
local failed = 0
local editor = 'neovim ' .. vim.version().major .. '.' .. vim.version().minor

local function say(line)
  io.stdout:write(line .. '\n')
end

local function check(name, run)
  local ok, problem = pcall(run)
  if ok then
    say('ok - ' .. editor .. ': ' .. name)
  else
    failed = failed + 1
    say('not ok - ' .. editor .. ': ' .. name .. '\n    ' .. tostring(problem))
  end
end

local function until_true(what, look, describe)
  if not vim.wait(20000, look, 50) then
    error('waited 20 s for: ' .. what .. (describe and ('\n' .. describe()) or ''), 0)
  end
end

local root = os.getenv('FENCEPOST_ROOT')
vim.opt.runtimepath:prepend({ root .. '/editors/vim', root .. '/editors/neovim' })
vim.cmd('filetype plugin on | syntax on')
require('fencepost').setup({ cmd = { os.getenv('FENCEPOST_BIN'), 'lsp' } })
vim.cmd('runtime plugin/fencepost.lua')
vim.cmd('edit SB.litmus')
local buf = vim.api.nvim_get_current_buf()

--- All text that is drawn but not in the buffer: lenses, hints, diagnostics.
local function virtual_text(of)
  local shown = {}
  for _, namespace in pairs(vim.api.nvim_get_namespaces()) do
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(of, namespace, 0, -1, { details = true })) do
      local details = mark[4]
      local chunks = vim.list_extend(vim.deepcopy(details.virt_text or {}), vim.tbl_flatten(details.virt_lines or {}))
      for _, chunk in ipairs(chunks) do
        table.insert(shown, type(chunk) == 'table' and chunk[1] or chunk)
      end
    end
  end
  -- Neovim's own hints are drawn when the screen is, which a headless one has not.
  if vim.lsp.inlay_hint then
    for _, hint in ipairs(vim.lsp.inlay_hint.get({ bufnr = of })) do
      local label = hint.inlay_hint.label
      for _, part in ipairs(type(label) == 'string' and { { value = label } } or label) do
        table.insert(shown, part.value)
      end
    end
  end
  return table.concat(shown, ' | ')
end

local function shows(pattern)
  return function()
    return virtual_text(buf):find(pattern) ~= nil
  end
end

local function drawn()
  return virtual_text(buf)
end

local function line_of(text)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(buf, 0, -1, false)) do
    if line:find(text, 1, true) then
      return number
    end
  end
  error(text .. ' is not in the buffer', 0)
end

local function request(method, params)
  params.textDocument = { uri = vim.uri_from_bufnr(buf) }
  local answers = vim.lsp.buf_request_sync(buf, method, params, 20000) or {}
  local _, answer = next(answers)
  assert(answer, 'no answer to ' .. method)
  assert(not answer.error, vim.inspect(answer.error))
  return answer.result
end

local function find_buffer(name)
  for _, candidate in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(candidate):find(name, 1, true) then
      return candidate
    end
  end
end

check('a .litmus file has the filetype litmus and colours', function()
  assert(vim.bo.filetype == 'litmus', vim.bo.filetype)
  assert(vim.b.current_syntax == 'litmus', 'no syntax')
end)

check('the server attaches', function()
  until_true('the client', function()
    return require('fencepost').client(buf) ~= nil
  end)
end)

check('the weak outcome is a diagnostic at the condition', function()
  until_true('a diagnostic', function()
    return #vim.diagnostic.get(buf, { severity = vim.diagnostic.severity.INFO }) > 0
  end)
  -- A second client would say everything twice.
  vim.cmd('setfiletype litmus | doautocmd FileType litmus')
  vim.wait(500)
  assert(#vim.diagnostic.get(buf, { severity = vim.diagnostic.severity.INFO }) == 1, 'said more than once')
  local found = vim.diagnostic.get(buf, { severity = vim.diagnostic.severity.INFO })[1]
  assert(found.lnum + 1 == line_of('exists'), 'at line ' .. found.lnum + 1)
end)

check('the lens says the verdicts', function()
  until_true('the lens', shows('sometimes under TSO, PSO'), drawn)
  assert(virtual_text(buf):find('Show witness'), virtual_text(buf))
end)

check('the hint names the models', function()
  until_true('the hint', shows('⟵ reachable under TSO'), drawn)
end)

check('the status is there for the status line', function()
  until_true('the status', function()
    return (vim.b[buf].fencepost_status or ''):find('TSO sometimes') ~= nil
  end)
end)

check('hovering the condition shows matrix and witness', function()
  local answer = request('textDocument/hover', { position = { line = line_of('exists') - 1, character = 1 } })
  local text = answer.contents.value
  assert(text:find('SC%s+TSO%s+PSO') and text:find('witness under TSO') and text:find('flush x=1'), text)
end)

check('the witness window steps through and marks the source', function()
  vim.cmd('FencepostWitness')
  until_true('the window', function()
    local window = find_buffer('fencepost://witness')
    return window and vim.fn.win_findbuf(window)[1] ~= nil
  end)
  assert(vim.api.nvim_get_current_buf() == buf, 'the focus moved')
  local witness = find_buffer('fencepost://witness')
  local text = table.concat(vim.api.nvim_buf_get_lines(witness, 0, -1, false), '\n')
  assert(text:find('under TSO') and text:find('flush x=1') and text:find('P0: x=1'), text)
  assert(text:find('not under SC') and text:find('reads before'), text)
  vim.api.nvim_set_current_win(vim.fn.win_findbuf(witness)[1])
  vim.api.nvim_win_set_cursor(0, { 4, 0 })
  vim.cmd('doautocmd CursorMoved')
  local namespace = vim.api.nvim_get_namespaces()['fencepost_witness']
  local marks = vim.api.nvim_buf_get_extmarks(buf, namespace, 0, -1, {})
  assert(#marks == 1, #marks .. ' marks')
  local marked = vim.api.nvim_buf_get_lines(buf, marks[1][2], marks[1][2] + 1, false)[1]
  assert(marked:find('= 1;'), marked)
  vim.api.nvim_set_current_win(vim.fn.win_findbuf(buf)[1])
end)

check('hints at the loads say what they read', function()
  until_true('the hints', shows('⟵ 0 %(initial%)'), drawn)
end)

check('an edit with an error keeps the lens and says stale', function()
  local line = line_of('r0 = y')
  vim.api.nvim_buf_set_lines(buf, line, line, false, { '  r2 = = ;' })
  until_true('the error', function()
    return #vim.diagnostic.get(buf, { severity = vim.diagnostic.severity.ERROR }) > 0
  end)
  until_true('stale', shows('[Ss]tale'), drawn)
  assert(virtual_text(buf):find('sometimes'), virtual_text(buf))
  vim.api.nvim_buf_set_lines(buf, line, line + 1, false, {})
  vim.cmd('silent write')
  until_true('no error', function()
    return #vim.diagnostic.get(buf, { severity = vim.diagnostic.severity.ERROR }) == 0
  end)
end)

check('the lens over a parameter sets it, and takes it back', function()
  local function lens(title)
    for _, one in ipairs(request('textDocument/codeLens', {})) do
      if one.command.title == title then
        return one.command
      end
    end
  end
  local function run(title)
    until_true(title, function()
      return lens(title) ~= nil
    end)
    vim.lsp.commands['fencepost.setParam'](lens(title), { bufnr = buf })
  end
  local line = line_of('shared')
  vim.api.nvim_buf_set_lines(buf, line, line, false, { 'param N = 3;' })
  local asked
  local input = vim.ui.input
  vim.ui.input = function(options, done)
    asked = options
    done(' 5 ')
  end
  run('N = 3 · change')
  vim.ui.input = input
  assert(asked.default == '3', vim.inspect(asked))
  until_true('the value', function()
    return lens('N = 5 (file says 3) · change') ~= nil
  end)
  run('Reset N')
  until_true('the file\'s own value', function()
    return lens('N = 3 · change') ~= nil
  end)
  vim.api.nvim_buf_set_lines(buf, line, line + 1, false, {})
  vim.cmd('silent write')
end)

check('the fence action makes the condition unreachable', function()
  local at = { line = line_of('exists') - 1, character = 1 }
  local action
  until_true('the action', function()
    local found = request('textDocument/codeAction', { range = { start = at, ['end'] = at }, context = { diagnostics = {} } }) or {}
    for _, candidate in ipairs(found) do
      if candidate.title:find('^Insert `?mfence`? in P0 and P1') then
        action = candidate
      end
    end
    return action ~= nil
  end)
  local client = require('fencepost').client(buf)
  if not action.edit then
    action = vim.lsp.buf_request_sync(buf, 'codeAction/resolve', action, 20000)[client.id].result
  end
  vim.lsp.util.apply_workspace_edit(action.edit, client.offset_encoding)
  vim.cmd('silent write')
  until_true('unreachable', shows('⟵ unreachable under SC, TSO, PSO'), drawn)
end)

say('# neovim closed')
vim.cmd(failed == 0 and 'qall!' or 'cquit 1')
