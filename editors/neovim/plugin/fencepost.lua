-- Starts the server for litmus files; options come from require('fencepost').setup.
if vim.g.loaded_fencepost then
  return
end
vim.g.loaded_fencepost = true

local group = vim.api.nvim_create_augroup('fencepost', { clear = true })
vim.api.nvim_create_autocmd({ 'BufNewFile', 'BufRead' }, {
  group = group,
  pattern = '*.litmus',
  callback = function()
    if vim.bo.filetype ~= 'litmus' then
      vim.bo.filetype = 'litmus'
    end
  end,
})
vim.api.nvim_create_autocmd('FileType', {
  group = group,
  pattern = 'litmus',
  callback = function(event)
    require('fencepost').attach(event.buf)
  end,
})
