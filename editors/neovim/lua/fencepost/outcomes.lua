-- The outcome × model matrix in a scratch window; the server writes the text.
local M = {}

function M.open(buf)
  require('fencepost').execute(buf, 'fencepost.showOutcomes', {}, function(answer)
    local lines = vim.split(vim.trim(answer.text), '\n')
    vim.lsp.util.open_floating_preview(lines, '', { focus_id = 'fencepost_outcomes', border = 'rounded' })
  end)
end

return M
