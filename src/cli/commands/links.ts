// `polyhistor links --from URL | --to URL`: which page links to which, as of any time.

import { join } from 'node:path'
import { type LinkJson, linkQuestionOf, linksJson, withLinks } from '../../app/graph/links-to-ask.ts'
import { digitsOfSpan } from '../../model/timestamp.ts'
import { urlFromTyped } from '../../model/url/url.ts'
import type { Context } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { timeSpan } from '../input/option-values.ts'
import { formatTable } from '../output/table.ts'
import { withArchiveToRead } from '../peer/running-peer.ts'
import { UsageError } from '../usage-error.ts'

interface Options {
  from?: string
  to?: string
  site?: boolean
  at?: string
  limit?: number
}

interface Shown {
  readonly links: readonly LinkJson[]
  readonly isPartial: boolean
}

export async function showLinks(context: Context, _words: string[], options: Options): Promise<ExitCode> {
  const { from, to } = options
  if ((from === undefined) === (to === undefined))
    throw new UsageError('Say which links: --from URL or --to URL.')
  const query = {
    ...(from !== undefined && { from: urlFromTyped(from).href }),
    ...(to !== undefined && { to: urlFromTyped(to).href }),
    ...(options.site && { site: 'true' }),
    ...(options.at !== undefined && { at: digitsOfSpan(timeSpan('--at', options.at)) }),
    ...(options.limit !== undefined && { limit: String(options.limit) }),
  }
  const shown: Shown = await withArchiveToRead(context, {
    store: (store) =>
      withLinks(join(context.home.folder, 'crawl'), store, async (links) =>
        linksJson(await links.links(linkQuestionOf(new URLSearchParams(query)))),
      ),
    peer: (peer) => peer.get<Shown>('/api/v1/links', query),
  })
  await show(context, shown)
  return shown.links.length === 0 ? exitCodes.no : exitCodes.ok
}

async function show({ terminal, isJson }: Context, { links, isPartial }: Shown): Promise<void> {
  if (isJson) for (const link of links) await terminal.printJson(link)
  else if (links.length > 0) {
    const rows = links.map(({ from, to, text, relation, nofollow, firstSeen, lastSeen, gone }) => [
      day(firstSeen),
      gone === null ? day(lastSeen) : `gone ${day(gone)}`,
      nofollow ? `${relation}, nofollow` : relation,
      text,
      from,
      to,
    ])
    await terminal.printLine(
      formatTable(['first seen', 'last seen', 'as', 'text', 'from', 'to'], rows, terminal.width),
    )
  }
  if (links.length === 0) terminal.tell('No such links are known in this archive.')
  else if (isPartial) terminal.tell('There are more, or some peers did not answer: --limit COUNT shows more.')
}

function day(moment: string): string {
  return moment.slice(0, 10)
}
