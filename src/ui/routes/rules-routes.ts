// Rules for what is crawled: shown to everyone, changed by the owner.

import { readRuleChange, readTarget, writtenFieldNames } from '../../crawl/rules/written-rule.ts'
import { PolyhistorError } from '../../errors.ts'
import type { HttpAnswer } from '../../platform/network/http-server.ts'
import type { PageOwner, PageRules } from '../archive.ts'
import { type PageRequest, type PageRoute, pageAnswer, queryOf, redirectAnswer } from '../http.ts'
import type { Layout } from '../markup/layout.ts'
import { PageError } from '../page-error.ts'
import { rulesScreen, type TypedRule } from '../screens/jobs/rules.ts'

interface Needs {
  readonly rules?: PageRules | undefined
  readonly owner: PageOwner
  readonly layout: Layout
}

const charsMax = 4_000
export const rulesShownMax = 200
const targetKinds = ['site', 'host', 'pattern', 'url', 'all']

export function rulesRoutes(needs: Needs): PageRoute[] {
  const shared = { host: 'archive', path: /^\/rules$/, isPage: true } as const
  return [
    { ...shared, methods: ['GET'], handle: (request) => show(needs, request) },
    { ...shared, methods: ['POST'], writes: true, handle: (request) => change(needs, request) },
  ]
}

async function show(needs: Needs, request: PageRequest): Promise<HttpAnswer> {
  const query = new URLSearchParams(queryOf(request.target))
  return page(needs, request, typedIn(query))
}

async function change(needs: Needs, request: PageRequest): Promise<HttpAnswer> {
  const form = new URLSearchParams(await request.text())
  const typed = typedIn(form)
  const action = form.get('action')
  if (action !== 'set' && action !== 'remove') throw new PageError('request-malformed')
  try {
    if (action === 'remove') await needs.rules?.remove(readTarget(targetOf(typed)))
    else await needs.rules?.change(readRuleChange({ ...targetOf(typed), ...saidIn(typed) }))
    return redirectAnswer('/rules', 303)
  } catch (error) {
    if (!(error instanceof PolyhistorError)) throw error
    return page(needs, request, typed, error.message)
  }
}

async function page(
  { rules, owner, layout }: Needs,
  request: PageRequest,
  typed: TypedRule,
  mistake?: string,
): Promise<HttpAnswer> {
  const listed = (await rules?.list()) ?? []
  const find = new URLSearchParams(queryOf(request.target)).get('find')?.trim().slice(0, charsMax) ?? ''
  const found = listed.filter(({ target }) => find === '' || JSON.stringify(target).includes(find))
  const screen = rulesScreen({
    rules: found.slice(0, rulesShownMax),
    count: found.length,
    find,
    isOwner: owner.isOwner(request),
    isShared: rules?.isShared ?? false,
    typed,
    mistake,
  })
  return pageAnswer(request, mistake === undefined ? 200 : 400, layout.page(screen))
}

/** What stands in the form, or in a link that fills it. */
function typedIn(form: URLSearchParams): TypedRule {
  const value = (name: string): string => (form.get(name) ?? '').slice(0, charsMax)
  const kind = targetKinds.find((known) => known === value('for')) ?? 'site'
  return {
    kind,
    name: value('name'),
    fields: Object.fromEntries(writtenFieldNames.map((field) => [field, value(field)])),
  }
}

function targetOf({ kind, name }: TypedRule): Record<string, unknown> {
  return { [kind]: kind === 'all' ? true : name }
}

/** An empty field changes nothing. */
function saidIn({ fields }: TypedRule): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value.trim() !== ''))
}
