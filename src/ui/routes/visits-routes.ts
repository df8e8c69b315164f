// Planned visits: shown to everyone, changed by the owner.

import { PolyhistorError } from '../../errors.ts'
import type { VisitTarget } from '../../model/jobs/planned-visit.ts'
import { urlFromTyped } from '../../model/url/url.ts'
import type { HttpAnswer } from '../../platform/network/http-server.ts'
import type { PageOwner, PageVisits } from '../archive.ts'
import { type PageRequest, type PageRoute, pageAnswer, queryOf, redirectAnswer } from '../http.ts'
import type { Layout } from '../markup/layout.ts'
import { PageError } from '../page-error.ts'
import { nameOf, visitsScreen } from '../screens/jobs/visits.ts'

interface Needs {
  readonly visits?: PageVisits | undefined
  readonly owner: PageOwner
  readonly layout: Layout
}

const shownMax = 100
const charsMax = 4_000

export function visitsRoutes(needs: Needs): PageRoute[] {
  const shared = { host: 'archive', path: /^\/visits$/, isPage: true } as const
  return [
    { ...shared, methods: ['GET'], handle: (request) => show(needs, request) },
    { ...shared, methods: ['POST'], writes: true, handle: (request) => change(needs, request) },
  ]
}

async function show(needs: Needs, request: PageRequest): Promise<HttpAnswer> {
  const of = new URLSearchParams(queryOf(request.target)).get('of') ?? ''
  return page(needs, request, targetOf(of), undefined)
}

async function change(needs: Needs, request: PageRequest): Promise<HttpAnswer> {
  const form = new URLSearchParams(await request.text())
  const [action, span] = [form.get('action'), (form.get('every') ?? '').slice(0, charsMax)]
  const target = targetOf(form.get('of') ?? '')
  if (action !== 'every' && action !== 'stop' && action !== 'resume') throw new PageError('request-malformed')
  try {
    await needs.visits?.change(target, action === 'every' ? { kind: action, span } : { kind: action })
    const name = nameOf(target)
    return redirectAnswer(name === '' ? '/visits' : `/visits?of=${encodeURIComponent(name)}`, 303)
  } catch (error) {
    if (!(error instanceof PolyhistorError)) throw error
    return page(needs, request, target, error.message)
  }
}

async function page(
  { visits, owner, layout }: Needs,
  request: PageRequest,
  target: VisitTarget,
  mistake: string | undefined,
): Promise<HttpAnswer> {
  const screen = visitsScreen({
    visits: (await visits?.planned(target, shownMax)) ?? [],
    rules: (await visits?.rules()) ?? [],
    isOwner: owner.isOwner(request),
    of: nameOf(target),
    isShared: visits?.isShared ?? false,
    mistake,
  })
  return pageAnswer(request, mistake === undefined ? 200 : 400, layout.page(screen))
}

/** A name alone is a site, what has a path is a page. */
function targetOf(typed: string): VisitTarget {
  const text = typed.trim().slice(0, charsMax)
  if (text === '') return { kind: 'all' }
  const url = urlFromTyped(text)
  return /^[^/]+$/.test(text) ? { kind: 'site', site: url.site } : { kind: 'url', url: url.href }
}
