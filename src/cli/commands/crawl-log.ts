// `polyhistor crawl log`: what happened to each URL, and why.

import { join } from 'node:path'
import type { CrawlEvent } from '../../crawler.ts'
import type { Context } from '../context.ts'
import { readCrawlLog } from '../crawl-log-file.ts'

interface Options {
  url?: string
  outcome?: string
  job?: string
}

export async function showCrawlLog(context: Context, _words: string[], options: Options): Promise<undefined> {
  const { terminal, isJson, home } = context
  for await (const event of readCrawlLog(join(home.folder, 'crawl'))) {
    if (!isWanted(event, options)) continue
    if (isJson) await terminal.printJson({ ...event, at: new Date(event.atMs).toISOString() })
    else await terminal.printLine(asLine(event))
  }
  return undefined
}

function isWanted(event: CrawlEvent, { url, outcome, job }: Options): boolean {
  return (
    (url === undefined || event.url.includes(url)) &&
    (outcome === undefined || event.outcome === outcome) &&
    (job === undefined || event.jobId.startsWith(job))
  )
}

function asLine({ atMs, outcome, status, bytes, url, via, reason }: CrawlEvent): string {
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
