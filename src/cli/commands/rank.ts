// `polyhistor rank`: the most important pages, of all or of a site, by the links between archived pages.

import { join } from 'node:path'
import { rankTermsOf } from '../../app/rank/rank-terms.ts'
import { rankAskedOf, rankJson, withRanks } from '../../app/rank/ranks-to-ask.ts'
import { urlFromTyped } from '../../model/url/url.ts'
import type { Context } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { formatTable } from '../output/table.ts'
import { withArchiveToRead } from '../peer/running-peer.ts'
import { UsageError } from '../usage-error.ts'

interface Options {
  top?: number
  site?: string
  sites?: boolean
}

type Shown = ReturnType<typeof rankJson>

export async function showRank(context: Context, _words: string[], options: Options): Promise<ExitCode> {
  if (options.site !== undefined && options.sites)
    throw new UsageError('Say --site SITE for the pages of one site, or --sites for sites, not both.')
  const query = {
    ...(options.top !== undefined && { top: String(options.top) }),
    ...(options.site !== undefined && { site: urlFromTyped(options.site).site }),
    ...(options.sites && { of: 'sites' }),
  }
  const shown: Shown = await withArchiveToRead(context, {
    store: (store) =>
      withRanks(
        join(context.home.folder, 'crawl'),
        store,
        rankTermsOf(context.configuration.values),
        async (ranks) => rankJson(await ranks.top(rankAskedOf(new URLSearchParams(query)))),
      ),
    peer: (peer) => peer.get<Shown>('/api/v1/rank', query),
  })
  await show(context, shown)
  return shown.ranked.length === 0 ? exitCodes.no : exitCodes.ok
}

async function show({ terminal, isJson }: Context, { ranked, computed }: Shown): Promise<void> {
  if (isJson) await terminal.printJson(ranked)
  else if (ranked.length > 0) {
    const rows = ranked.map(({ url, score }, place) => [String(place + 1), score.toExponential(4), url])
    await terminal.printLine(formatTable(['place', 'score', 'url'], rows, terminal.width))
  }
  if (ranked.length > 0) return
  terminal.tell(
    computed === null
      ? 'This peer has not computed ranks yet. It does so by itself, within half of rank.maxAge; stop it to have them computed at once.'
      : 'No such pages are known in this archive, or nothing links to them.',
  )
}
