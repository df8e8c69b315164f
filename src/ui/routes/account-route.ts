// What became of the parts of a page when a browser captured it: `/account/1580472000000/https://example.com/`, for the bar above it.
//
// Asked for by the bar's script, so that no page waits for it: on a network it may lie with another peer. What was kept is only counted;
// what was not is told with the rule or the cause, as many as fit into a list.

import { countFates } from '../../formats/warc/page-info.ts'
import type { HttpAnswer } from '../../platform/network/http-server.ts'
import { archivedUrl } from '../address.ts'
import type { PageAccounts, PageArchive } from '../archive.ts'
import type { PageRoute } from '../http.ts'

const pattern = /^\/account\/([0-9]{1,15})\/(.+)$/s
const partsMax = 200

interface Needs {
  readonly archive: Pick<PageArchive, 'isTakenDown'>
  readonly accounts: PageAccounts
}

export function accountRoute(needs: Needs): PageRoute {
  return {
    methods: ['GET'],
    host: 'archive',
    path: pattern,
    isPage: false,
    handle: async ({ target }) => jsonAnswer(await accountAt(needs, target)),
  }
}

async function accountAt({ archive, accounts }: Needs, target: string): Promise<object | undefined> {
  const [, digits, written] = pattern.exec(target)!
  const page = archivedUrl(written!)
  const info = archive.isTakenDown(page) ? undefined : await accounts.at(page, Number(digits))
  if (info === undefined) return undefined
  const missed = info.parts.filter(({ fate }) => fate !== 'kept')
  const parts = missed.slice(0, partsMax).map(({ name, fate, reason, code }) => ({
    ...{ name, fate },
    reason: reason ?? code ?? '',
  }))
  return { ...countFates(info.parts), parts, ...(info.shownBy && { shownBy: info.shownBy }) }
}

/** 204: no browser captured it, or nobody knows. That is no fault. */
function jsonAnswer(account: object | undefined): HttpAnswer {
  const headers = [['Cache-Control', 'private, max-age=60']] as const
  if (account === undefined) return { status: 204, headers, body: '' }
  return {
    status: 200,
    headers: [...headers, ['Content-Type', 'application/json; charset=utf-8']],
    body: JSON.stringify(account),
  }
}
