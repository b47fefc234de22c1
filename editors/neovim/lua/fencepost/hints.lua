-- Inlay hints: Neovim's own from 0.10 on, else the same text at the ends of the lines.
local M = {}

local namespace = vim.api.nvim_create_namespace('fencepost_hints')

local function label(hint)
  if type(hint.label) == 'string' then
    return hint.label
  end
  return table.concat(vim.tbl_map(function(part)
    return part.value
  end, hint.label))
end

local function show(buf, hints)
  vim.api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
  local last = vim.api.nvim_buf_line_count(buf)
  for _, hint in ipairs(hints) do
    if hint.position.line < last then
      vim.api.nvim_buf_set_extmark(buf, namespace, hint.position.line, 0, {
        virt_text = { { ' ' .. vim.trim(label(hint)), 'NonText' } },
        hl_mode = 'combine',
      })
    end
  end
end

function M.refresh(buf)
  if vim.lsp.inlay_hint then
    vim.lsp.inlay_hint.enable(true, { bufnr = buf })
    return
  end
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(buf) },
    range = {
      start = { line = 0, character = 0 },
      ['end'] = { line = vim.api.nvim_buf_line_count(buf), character = 0 },
    },
  }
  vim.lsp.buf_request(buf, 'textDocument/inlayHint', params, function(err, hints)
    if not err and vim.api.nvim_buf_is_loaded(buf) then
      show(buf, type(hints) == 'table' and hints or {})
    end
  end)
end

return M
