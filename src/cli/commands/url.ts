// `polyhistor url`: how the archive understands URLs.

import { UrlError, urlFromTyped } from '../../model/url/url.ts'
import type { Context } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { readLines } from '../input/lines.ts'
import { formatTable } from '../output/table.ts'

interface Understood {
  input: string
  url: string
  surt: string
  host: string
  site: string
  ringKey: string
}

interface Refused {
  input: string
  error: { code: string; message: string }
}

/** Tables need all rows for their widths; in batches, an endless input still streams. */
const tableRowsMax = 500

export async function showUrls(
  { terminal, isJson }: Pick<Context, 'terminal' | 'isJson'>,
  words: string[],
): Promise<ExitCode> {
  let hasFailed = false
  let rows: (Understood | Refused)[] = []
  const printRows = async () => {
    if (rows.length > 0) await terminal.printLine(tableOf(rows, terminal.width))
    rows = []
  }
  for await (const input of inputs(words)) {
    const row = understand(input)
    hasFailed ||= 'error' in row
    if (isJson) await terminal.printJson(row)
    else if (rows.push(row) >= tableRowsMax) await printRows()
  }
  await printRows()
  return hasFailed ? exitCodes.no : exitCodes.ok
}

async function* inputs(words: string[]): AsyncIterable<string> {
  for (const word of words) {
    if (word !== '-') yield word
    else for await (const line of readLines(process.stdin)) if (line.trim() !== '') yield line
  }
}

function understand(input: string): Understood | Refused {
  try {
    const { href, surt, host, site, ringKey } = urlFromTyped(input)
    return { input, url: href, surt, host, site, ringKey }
  } catch (error) {
    if (!(error instanceof UrlError)) throw error
    return { input, error: { code: error.code, message: error.message } }
  }
}

function tableOf(rows: (Understood | Refused)[], width: number): string {
  const cells = rows.map((row) =>
    'error' in row
      ? [row.input, `${row.error.code}: ${row.error.message}`, '', '', '', '']
      : [row.input, row.url, row.surt, row.host, row.site, row.ringKey],
  )
  return formatTable(['input', 'url', 'surt', 'host', 'site', 'ring key'], cells, width)
}
