// Figures in the tables that benchmarks print (printTable of measure.ts): `row, column` → number.

export type Figures = ReadonlyMap<string, number>

export function figuresOf(output: string): Figures {
  const lines = output.split('\n')
  const figures = new Map<string, number>()
  for (const [index, line] of lines.entries()) {
    if (index === 0 || !/^-+( {2}-+)+$/.test(line)) continue
    const columns = columnsOf(line)
    const header = cellsOf(lines[index - 1]!, columns)
    for (let at = index + 1; at < lines.length && lines[at]!.trim() !== ''; at++) {
      const [row, ...cells] = cellsOf(lines[at]!, columns)
      for (const [column, cell] of cells.entries()) {
        const figure = /^[\d,]+(\.\d+)?/.exec(cell)?.[0]
        if (figure !== undefined)
          figures.set(`${row}, ${header[column + 1]}`, Number(figure.replaceAll(',', '')))
      }
    }
  }
  return figures
}

interface Column {
  readonly start: number
  readonly end: number
}

/** The line of dashes below a header is as wide as the columns are. */
function columnsOf(dashes: string): Column[] {
  return [...dashes.matchAll(/-+/g)].map(({ index, 0: run }) => ({ start: index, end: index + run.length }))
}

function cellsOf(line: string, columns: readonly Column[]): string[] {
  return columns.map(({ start, end }) => line.slice(start, end).trim())
}
