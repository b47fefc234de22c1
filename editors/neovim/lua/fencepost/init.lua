-- The client of `fencepost lsp`: starts it, keeps lenses and hints fresh, defines the commands.
local M = {}

local options = {
  cmd = { 'fencepost', 'lsp' },
  -- Settings of the server: see server/PROTOCOL.md.
  settings = {},
  lenses = true,
  hints = true,
}

--- Options: `cmd`, `settings`, `lenses`, `hints`, `on_attach`.
function M.setup(given)
  options = vim.tbl_deep_extend('force', options, given or {})
end

--- The server's client for a buffer, or nil.
function M.client(buf)
  for _, client in pairs((vim.lsp.get_clients or vim.lsp.get_active_clients)()) do
    if client.name == 'fencepost' and (not buf or vim.lsp.buf_is_attached(buf, client.id)) then
      return client
    end
  end
end

--- A question before the server is ready gets no answer, and Neovim 0.7 then never asks again.
local function is_ready(buf)
  local client = M.client(buf)
  return client and client.initialized and vim.api.nvim_buf_is_loaded(buf)
end

local function refresh(buf)
  if not is_ready(buf) then
    return
  end
  if options.lenses then
    vim.api.nvim_buf_call(buf, function()
      vim.lsp.codelens.refresh({ bufnr = buf })
    end)
  end
  if options.hints then
    require('fencepost.hints').refresh(buf)
  end
  require('fencepost.witness').refresh(buf)
end

local function on_status(_, status)
  local buf = vim.uri_to_bufnr(status.uri)
  if vim.api.nvim_buf_is_loaded(buf) then
    vim.b[buf].fencepost_status = status.message .. (status.stale and ' (stale)' or '')
    refresh(buf)
  end
end

--- Runs a command of the server; `done` gets its answer.
function M.execute(buf, command, argument, done)
  local client = M.client(buf)
  if not client then
    vim.notify('fencepost is not running', vim.log.levels.WARN)
    return
  end
  argument.uri = vim.uri_from_bufnr(buf)
  vim.lsp.buf_request(buf, 'workspace/executeCommand', { command = command, arguments = { argument } }, function(err, result)
    if err then
      vim.notify(err.message, vim.log.levels.ERROR)
    elseif done and result ~= nil and result ~= vim.NIL then
      done(result)
    end
  end)
end

local function offer_fences(buf, argument)
  M.execute(buf, 'fencepost.suggestFences', vim.tbl_extend('keep', argument or {}, { condition = 0 }), function(found)
    if #found.sets == 0 then
      vim.notify(found.text)
      return
    end
    vim.ui.select(found.sets, {
      prompt = 'Fences that forbid the outcome:',
      format_item = function(set)
        return set.title
      end,
    }, function(set)
      if set then
        vim.lsp.util.apply_workspace_edit(set.edit, M.client(buf).offset_encoding)
      end
    end)
  end)
end

local function ask_param(buf, argument)
  local function set(choice)
    M.execute(buf, 'fencepost.setParam', vim.tbl_extend('error', { name = argument.name }, choice))
  end
  if argument.reset or argument.value then
    set({ reset = argument.reset, value = argument.value })
    return
  end
  local given = argument.current
  if given == nil or given == vim.NIL then
    given = argument.written
  end
  vim.ui.input({ prompt = argument.name .. ' = ', default = tostring(given) }, function(typed)
    if typed and vim.trim(typed) ~= '' then
      set({ value = vim.trim(typed) })
    end
  end)
end

--- `:FencepostParam N=5`, or `:FencepostParam N` for the file's own value.
local function set_param(buf, call)
  local name, value = call:match('^%s*([^%s=]+)%s*=%s*(.-)%s*$')
  ask_param(buf, { name = name or vim.trim(call), value = value, reset = not value })
end

local function define_commands(buf)
  local function command(name, run)
    vim.api.nvim_buf_create_user_command(buf, name, run, { nargs = '?' })
  end
  command('FencepostWitness', function(call)
    require('fencepost.witness').open(buf, call.args ~= '' and { model = call.args:upper() } or {})
  end)
  command('FencepostOutcomes', function()
    require('fencepost.outcomes').open(buf)
  end)
  command('FencepostFences', function()
    offer_fences(buf)
  end)
  command('FencepostParam', function(call)
    set_param(buf, call.args)
  end)
  command('FencepostCheck', function()
    M.execute(buf, 'fencepost.checkNow', {})
  end)
  command('FencepostStop', function()
    M.execute(buf, 'fencepost.cancel', {})
  end)
end

--- Lenses name these commands; the argument says which document and execution are meant.
local function define_lens_commands()
  local function lens(name, run)
    vim.lsp.commands[name] = function(command, context)
      local argument = (command.arguments or {})[1] or {}
      local buf = argument.uri and vim.uri_to_bufnr(argument.uri) or context.bufnr
      run(buf, argument)
    end
  end
  lens('fencepost.showWitness', function(buf, argument)
    require('fencepost.witness').open(buf, argument)
  end)
  lens('fencepost.showOutcomes', function(buf)
    require('fencepost.outcomes').open(buf)
  end)
  lens('fencepost.suggestFences', offer_fences)
  lens('fencepost.setParam', ask_param)
end

local function capabilities()
  local made = vim.lsp.protocol.make_client_capabilities()
  made.experimental = {
    fencepost = {
      status = true,
      commands = { 'fencepost.showWitness', 'fencepost.showOutcomes', 'fencepost.suggestFences', 'fencepost.setParam' },
    },
  }
  return made
end

local function configuration(buf)
  local found = vim.fs and vim.fs.find('.git', { upward = true, path = vim.api.nvim_buf_get_name(buf) })[1]
  return {
    name = 'fencepost',
    cmd = options.cmd,
    root_dir = found and vim.fs.dirname(found) or vim.fn.getcwd(),
    init_options = options.settings,
    settings = { fencepost = options.settings },
    capabilities = capabilities(),
    handlers = { ['fencepost/status'] = on_status },
    on_attach = options.on_attach,
  }
end

-- The client of Neovim 0.7, which lists a client only once it has answered.
local shared_id

local function start(buf)
  local config = configuration(buf)
  if vim.lsp.start then
    return vim.lsp.start(config, { bufnr = buf })
  end
  -- Neovim 0.7 has no vim.lsp.start: one client serves all buffers.
  if not shared_id or vim.lsp.client_is_stopped(shared_id) then
    shared_id = vim.lsp.start_client(config)
  end
  if shared_id then
    vim.lsp.buf_attach_client(buf, shared_id)
  end
  return shared_id
end

--- Starts the server for a litmus buffer, once.
function M.attach(buf)
  if M.client(buf) then
    return
  end
  if vim.fn.executable(options.cmd[1]) == 0 then
    vim.notify(options.cmd[1] .. ' cannot be run: see require("fencepost").setup', vim.log.levels.ERROR)
    return
  end
  define_lens_commands()
  define_commands(buf)
  if start(buf) then
    vim.api.nvim_create_autocmd({ 'BufEnter', 'InsertLeave', 'BufWritePost' }, {
      group = vim.api.nvim_create_augroup('fencepost_' .. buf, { clear = true }),
      buffer = buf,
      callback = function()
        refresh(buf)
      end,
    })
  end
end

return M
