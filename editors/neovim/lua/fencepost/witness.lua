-- The witness window: one execution as a table of steps, kept in step with the source.
local M = {}

local MODELS = { 'SC', 'TSO', 'PSO' }
local namespace = vim.api.nvim_create_namespace('fencepost_witness')

-- One window, reused: what it shows, and where.
local view = { buf = nil, source = nil, witness = nil, outcomes = nil, first_row = 0 }

local function value(it)
  return it ~= vim.NIL and it or nil
end

local function pairs_text(order, state)
  local parts = {}
  for _, name in ipairs(order) do
    if state[name] ~= nil then
      table.insert(parts, name .. '=' .. tostring(state[name]))
    end
  end
  return table.concat(parts, ' ')
end

local function buffers_text(witness, step)
  local parts = {}
  for index, entries in ipairs(step.buffers) do
    if #entries > 0 then
      local texts = vim.tbl_map(function(entry)
        return entry.location .. '=' .. tostring(entry.value)
      end, entries)
      table.insert(parts, witness.threads[index] .. ': ' .. table.concat(texts, ' '))
    end
  end
  return table.concat(parts, '  ')
end

local function pad(text, width)
  return text .. string.rep(' ', width - vim.fn.strdisplaywidth(text))
end

--- Lines with columns as wide as their widest cell.
local function align(rows)
  local widths = {}
  for _, row in ipairs(rows) do
    for column, cell in ipairs(row) do
      widths[column] = math.max(widths[column] or 0, vim.fn.strdisplaywidth(cell))
    end
  end
  return vim.tbl_map(function(row)
    local cells = {}
    for column, cell in ipairs(row) do
      cells[column] = pad(cell, widths[column])
    end
    return (table.concat(cells, '  '):gsub('%s+$', ''))
  end, rows)
end

local function table_lines(witness)
  local rows = { vim.list_extend({ 'step' }, vim.list_extend(vim.deepcopy(witness.threads), { 'buffers', 'memory' })) }
  for _, step in ipairs(witness.steps) do
    local row = { string.format('%3d', step.index + 1) }
    for index = 1, #witness.threads do
      table.insert(row, index == step.thread + 1 and step.text or '')
    end
    table.insert(row, buffers_text(witness, step))
    table.insert(row, pairs_text(witness.locations, step.memory))
    table.insert(rows, row)
  end
  return align(rows)
end

--- Why a stronger model has no such execution.
local function cycle_lines(witness)
  local forbidden = value(witness.forbidden)
  if not forbidden then
    return {}
  end
  local rows = vim.tbl_map(function(link)
    local step = witness.steps[link.from + 1]
    return { string.format('%3d', link.from + 1), witness.threads[step.thread + 1], step.text, link.text }
  end, forbidden.cycle)
  return vim.list_extend({ '', forbidden.text }, align(rows))
end

local function step_at(row)
  return view.witness and view.witness.steps[row - view.first_row]
end

local function window_of(buf)
  return buf and vim.fn.win_findbuf(buf)[1]
end

local function mark(buf, line, group)
  if line and line < vim.api.nvim_buf_line_count(buf) then
    vim.api.nvim_buf_set_extmark(buf, namespace, line, 0, { line_hl_group = group, hl_group = group, end_row = line + 1, hl_eol = true })
  end
end

local function range_lines(step)
  local range = value(step.range)
  if range then
    return range.start.line, range['end'].line
  end
end

--- The source line of the step under the cursor.
local function mark_source()
  vim.api.nvim_buf_clear_namespace(view.source, namespace, 0, -1)
  local step = step_at(vim.api.nvim_win_get_cursor(0)[1])
  if step then
    mark(view.source, (range_lines(step)), 'Visual')
  end
end

--- The steps of the source line under the cursor.
local function mark_steps()
  if not (view.buf and view.witness and vim.api.nvim_buf_is_valid(view.buf)) then
    return
  end
  vim.api.nvim_buf_clear_namespace(view.buf, namespace, 0, -1)
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  for index, step in ipairs(view.witness.steps) do
    local first, last = range_lines(step)
    if first and first <= line and line <= last then
      mark(view.buf, view.first_row + index - 1, 'Visual')
    end
  end
end

local function goto_source()
  local step = step_at(vim.api.nvim_win_get_cursor(0)[1])
  local line = step and range_lines(step)
  local window = window_of(view.source)
  if line and window then
    vim.api.nvim_set_current_win(window)
    vim.api.nvim_win_set_cursor(window, { line + 1, step.range.start.character })
  end
end

local function after(list, current, same)
  for index, item in ipairs(list) do
    if same(item, current) then
      return list[index % #list + 1]
    end
  end
  return list[1]
end

local function next_model()
  local model = after(MODELS, view.witness.model, function(a, b)
    return a == b
  end)
  M.open(view.source, { model = model, outcome = value(view.witness.outcome) })
end

local function next_outcome()
  local result = value(view.outcomes) and view.outcomes.models[view.witness.model]
  if result and #result.outcomes > 0 then
    local outcome = after(result.outcomes, { state = view.witness.outcome }, function(a, b)
      return vim.deep_equal(a.state, b.state)
    end)
    M.open(view.source, { model = view.witness.model, outcome = outcome.state })
  end
end

local function close()
  local window = window_of(view.buf)
  if window then
    vim.api.nvim_win_close(window, true)
  end
end

local function make_buffer()
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].buftype = 'nofile'
  vim.bo[buf].bufhidden = 'hide'
  vim.api.nvim_buf_set_name(buf, 'fencepost://witness')
  for key, run in pairs({ ['<CR>'] = goto_source, m = next_model, o = next_outcome, q = close }) do
    vim.keymap.set('n', key, run, { buffer = buf, nowait = true })
  end
  vim.api.nvim_create_autocmd('CursorMoved', { buffer = buf, callback = mark_source })
  return buf
end

--- Shows the window without leaving the one the person is in.
local function show_window()
  if not window_of(view.buf) then
    local current = vim.api.nvim_get_current_win()
    vim.cmd('botright split')
    vim.api.nvim_win_set_buf(0, view.buf)
    vim.wo.wrap, vim.wo.cursorline, vim.wo.number = false, true, false
    vim.api.nvim_set_current_win(current)
  end
  local height = math.min(vim.api.nvim_buf_line_count(view.buf), math.floor(vim.o.lines / 2))
  vim.api.nvim_win_set_height(window_of(view.buf), height)
end

local function draw(lines)
  vim.bo[view.buf].modifiable = true
  vim.api.nvim_buf_set_lines(view.buf, 0, -1, false, lines)
  vim.bo[view.buf].modifiable = false
end

local function show(witness)
  view.witness = witness
  local title = witness.title .. (witness.stale and '  (stale)' or '')
  local lines = vim.list_extend({ title, '' }, table_lines(witness))
  vim.list_extend(lines, cycle_lines(witness))
  -- The rows of the steps come after the title, a blank line and the heading.
  view.first_row = 3
  draw(lines)
  show_window()
  require('fencepost').execute(view.source, 'fencepost.chooseWitness', { model = witness.model, outcome = value(witness.outcome) })
end

local function ask(argument, models, otherwise)
  local model = table.remove(models, 1)
  if not model then
    otherwise()
    return
  end
  local params = vim.tbl_extend('force', argument, { model = model, textDocument = { uri = vim.uri_from_bufnr(view.source) } })
  vim.lsp.buf_request(view.source, 'fencepost/witness', params, function(err, witness)
    if err then
      vim.notify(err.message, vim.log.levels.ERROR)
    elseif value(witness) then
      show(witness)
    else
      ask(argument, models, otherwise)
    end
  end)
end

--- Shows an execution: `argument` as in fencepost/witness; without a model, the strongest that has one.
function M.open(source, argument)
  if not (view.buf and vim.api.nvim_buf_is_valid(view.buf)) then
    view.buf = make_buffer()
  end
  if view.source ~= source then
    vim.api.nvim_create_autocmd('CursorMoved', {
      group = vim.api.nvim_create_augroup('fencepost_witness', { clear = true }),
      buffer = source,
      callback = mark_steps,
    })
  end
  view.source = source
  local wanted = { outcome = argument.outcome, condition = argument.condition, failure = argument.failure, deadlock = argument.deadlock }
  if next(wanted) == nil then
    wanted.condition = 0
  end
  vim.lsp.buf_request(source, 'fencepost/outcomes', { textDocument = { uri = vim.uri_from_bufnr(source) } }, function(_, outcomes)
    view.outcomes = outcomes
  end)
  ask(wanted, argument.model and { argument.model } or vim.deepcopy(MODELS), function()
    local where = argument.model and ('under ' .. argument.model) or 'under any model'
    vim.notify('No execution ' .. where .. ' ends so.')
  end)
end

--- Follows a new result while the window is open.
function M.refresh(buf)
  if buf == view.source and view.witness and window_of(view.buf) and value(view.witness.outcome) then
    local params = {
      textDocument = { uri = vim.uri_from_bufnr(buf) },
      model = view.witness.model,
      outcome = view.witness.outcome,
    }
    vim.lsp.buf_request(buf, 'fencepost/witness', params, function(err, witness)
      if not err and value(witness) and not vim.deep_equal(witness, view.witness) then
        show(witness)
      end
    end)
  end
end

return M
