// Arrow keys move among the buttons of a table; one of them is the table's tab stop.

const OFFSETS: Record<string, [rows: number, columns: number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

export function moveFocusInGrid(event: KeyboardEvent): void {
  const offset = OFFSETS[event.key];
  const from = event.target instanceof HTMLElement ? event.target.closest('button') : null;
  const row = from?.closest('tr');
  const cell = from?.closest('td');
  const body = row?.parentElement;
  if (!offset || !from || !row || !cell || !body) {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
  const rows = [...body.children];
  let [line, column] = [rows.indexOf(row), [...row.children].indexOf(cell)];
  for (;;) {
    [line, column] = [line + offset[0], column + offset[1]];
    const target = rows[line]?.children[column];
    if (!target) {
      return;
    }
    const button = target.querySelector('button');
    if (button) {
      from.setAttribute('tabindex', '-1');
      button.setAttribute('tabindex', '0');
      button.focus();
      return;
    }
  }
}
