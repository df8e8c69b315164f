// `polyhistor crawl log`: what happened to each URL, and why.

import { join } from 'node:path'
import { type CrawlLogLine, openCrawlLog } from '../../crawler.ts'
import type { Context } from '../context.ts'

interface Options {
  url?: string
  outcome?: string
  job?: string
}

export async function showCrawlLog(context: Context, _words: string[], options: Options): Promise<undefined> {
  const { terminal, isJson, home } = context
  const log = await openCrawlLog(join(home.folder, 'crawl'))
  const filter = { urlPart: options.url, outcome: options.outcome, jobId: options.job }
  for await (const line of log.read(filter)) {
    if (isJson) await terminal.printJson({ ...line, at: new Date(line.atMs).toISOString() })
    else await terminal.printLine(asLine(line))
  }
  await log.close()
  return undefined
}

function asLine({ atMs, outcome, status, bytes, url, via, reason }: CrawlLogLine): string {
  const time = new Date(atMs).toISOString().slice(0, 19)
  const facts = [
    time,
    outcome.padEnd(8),
    String(status ?? '-').padStart(3),
    String(bytes ?? '-').padStart(9),
    url,
  ]
  if (reason) facts.push(`(${reason})`)
  if (via) facts.push(`<- ${via}`)
  return facts.join('  ').replace(/[\u0000-\u001f]/g, '?')
}
