// What became of each URL of a job, as a table that spreadsheets read (RFC 4180).

import type { JobLogLine } from '../../../model/jobs/job-service.ts'

const columns = ['time', 'url', 'outcome', 'status', 'bytes', 'code', 'reason', 'via'] as const

export async function* csvLines(lines: AsyncIterable<JobLogLine>): AsyncGenerator<string> {
  yield `${columns.join(',')}\r\n`
  for await (const { atMs, url, outcome, status, bytes, code, reason, via } of lines) {
    const cells = [new Date(atMs).toISOString(), url, outcome, status, bytes, code, reason, via]
    yield `${cells.map(cellOf).join(',')}\r\n`
  }
}

/** What a page wrote must stay text: a spreadsheet takes a cell that begins like this for a formula. */
function cellOf(value: string | number | undefined): string {
  if (value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
