// The console: its views, the branches and facts that its tree asks for, and what is done from it. All of it is the owner's.

import type { ActionRecord } from '../../console/action-record.ts'
import { readAction } from '../../console/action-request.ts'
import type { Actor } from '../../console/actions.ts'
import type { Console } from '../../console/console.ts'
import { PolyhistorError } from '../../errors.ts'
import { type RuleTarget, ruleName, type SiteRule } from '../../model/jobs/site-rule.ts'
import { allOf } from '../../model/listed.ts'
import { tryParseUrl, urlFromTyped } from '../../model/url/url.ts'
import type { HttpAnswer } from '../../platform/network/http-server.ts'
import type { PageArchive } from '../archive.ts'
import { actionsScreen, actionsShown } from '../console/actions-screen.ts'
import { branchOf } from '../console/branches.ts'
import { actionNotice } from '../console/console-screen.ts'
import { dataScreen } from '../console/data-screen.ts'
import { type ConsoleNode, nodePath, nodeQuery, pathTo, readNode, type SiteNode } from '../console/node.ts'
import { networkFacts, peerFacts } from '../console/peer-facts.ts'
import { rolesScreen } from '../console/roles-screen.ts'
import { queueFacts, siteFacts } from '../console/site-facts.ts'
import { storageScreen } from '../console/storage-screen.ts'
import { streamScreen } from '../console/stream-screen.ts'
import { branchItems, type OpenBranch, treeOf } from '../console/tree.ts'
import { urlFacts } from '../console/url-facts.ts'
import { type PageRequest, type PageRoute, pageAnswer, queryOf, redirectAnswer } from '../http.ts'
import { type Html, html, inEnglish } from '../markup/html.ts'
import type { Layout } from '../markup/layout.ts'
import { consoleTexts } from '../texts/console.ts'

interface Needs {
  readonly console?: Console | undefined
  readonly archive: PageArchive
  readonly layout: Layout
}

type Opened = Needs & { readonly console: Console }

const versionsShown = 10
const peersAsked = 200

export function consoleRoutes(needs: Needs): PageRoute[] {
  const { console } = needs
  if (console === undefined) return []
  const opened: Opened = { ...needs, console }
  const { layout } = needs
  const get = (path: RegExp, page: (query: URLSearchParams) => Promise<Html>): PageRoute => ({
    methods: ['GET'],
    host: 'archive',
    path,
    isPage: true,
    isForOwner: true,
    handle: async (request) => pageAnswer(request, 200, await page(queryIn(request))),
  })
  const post = (path: RegExp, handle: PageRoute['handle']): PageRoute => ({
    methods: ['POST'],
    host: 'archive',
    path,
    isPage: true,
    writes: true,
    handle,
  })
  return [
    get(/^\/admin$/, (query) => dataPage(opened, query)),
    get(/^\/admin\/branch$/, (query) => branchFragment(opened, query)),
    get(/^\/admin\/facts$/, async (query) => factsOf(opened, readNode(query))),
    {
      ...get(/^\/admin\/find$/, async () => html``),
      handle: (request) => find(opened, queryIn(request)),
    },
    get(/^\/admin\/storage$/, async (query) => layout.page(await storagePage(opened, query))),
    get(/^\/admin\/stream$/, async (query) =>
      layout.page(streamScreen((query.get('site') ?? '').slice(0, 300))),
    ),
    get(/^\/admin\/roles$/, async (query) =>
      layout.page(rolesScreen(await console.status(), noticeIn(opened, query))),
    ),
    get(/^\/admin\/actions$/, async (query) => {
      const before = Number(query.get('before')) || undefined
      return layout.page(actionsScreen(console.actions.list(actionsShown, before), noticeIn(opened, query)))
    }),
    post(/^\/admin\/actions$/, (request) => act(opened, request)),
    post(/^\/admin\/actions\/\d{1,12}\/undo$/, (request) => undo(opened, request)),
  ]
}

function queryIn(request: PageRequest): URLSearchParams {
  return new URLSearchParams(queryOf(request.target))
}

async function dataPage(needs: Opened, query: URLSearchParams): Promise<Html> {
  const { console, layout } = needs
  const selected = readNode(query)
  const after = query.get('after') ?? undefined
  const [root, facts, { network }] = await Promise.all([
    openPath(console, pathTo(selected), after),
    factsOf(needs, selected),
    console.status(),
  ])
  const name = network.kind === 'alone' ? consoleTexts.thisArchive : network.name
  return layout.page(
    dataScreen({
      tree: treeOf(name, root, selected),
      facts: html`${noticeIn(needs, query)}${facts}`,
      selected,
      unfound: query.get('unfound')?.slice(0, 300),
    }),
  )
}

/** Along the path everything is open; of the last branch a later page may be asked for. */
async function openPath(
  console: Console,
  [node, ...rest]: readonly ConsoleNode[],
  after: string | undefined,
): Promise<OpenBranch> {
  const [next] = rest
  const [branch, within] = await Promise.all([
    branchOf(console, node!, next === undefined ? after : undefined),
    next === undefined || next.kind === 'url' ? undefined : openPath(console, rest, after),
  ])
  return { branch, open: next && { node: next, within } }
}

async function branchFragment({ console }: Opened, query: URLSearchParams): Promise<Html> {
  const node = readNode(query)
  const branch = await branchOf(console, node, query.get('after') ?? undefined)
  return branchItems(node, { branch }, pathTo(node).length + 1)
}

async function factsOf(needs: Opened, node: ConsoleNode): Promise<Html> {
  const { console } = needs
  try {
    switch (node.kind) {
      case 'network':
        return networkFacts(await console.status())
      case 'peer': {
        const status = await console.status()
        const known = status.peers.find(({ peer }) => peer === node.peer)
        return peerFacts(node.peer, known?.status, status, console.self)
      }
      case 'site': {
        const facts = await console.survey(node.peer).site(node.key)
        const rule = await ruleFor(needs, { kind: 'site', site: node.site })
        return siteFacts(node, { facts, rule, self: console.self, placedAt: console.placedAt(node.site) })
      }
      case 'queue':
        return queueFacts(node)
      case 'url':
        return urlFacts(node, {
          visit: await console.survey(node.peer).visit(node.url),
          versions: await versionsOf(needs, node.url),
          rule: await ruleFor(needs, { kind: 'url', url: node.url }),
        })
    }
  } catch (error) {
    if (!(error instanceof PolyhistorError)) throw error
    return html`<p class="trouble">${consoleTexts.nothingToldNow({ trouble: inEnglish(error.message) })}</p>`
  }
}

async function versionsOf({ archive }: Opened, href: string) {
  const url = tryParseUrl(href)
  return url === null ? [] : allOf(archive.versions(url, { reverse: true, limit: versionsShown }))
}

async function ruleFor({ console }: Opened, target: RuleTarget): Promise<SiteRule | undefined> {
  const all = await console.rules.list()
  return all.find((rule) => ruleName(rule.target) === ruleName(target))
}

async function storagePage({ console }: Opened, query: URLSearchParams) {
  const [storage, network] = await Promise.all([console.storage(), console.status()])
  const from = Math.min(Math.max(0, Number(query.get('from')) || 0), Math.max(0, storage.volumes.length - 1))
  return storageScreen({ storage, network, from, notice: noticeIn({ console }, query) })
}

/** To where a site is crawled: the peer at hand is asked first, then all. */
async function find({ console }: Opened, query: URLSearchParams): Promise<HttpAnswer> {
  const typed = (query.get('site') ?? '').trim()
  const { ringKey: key, site } = urlFromTyped(typed)
  const { peers } = await console.status()
  const near = query.get('peer') ?? ''
  const names = [...new Set([...(near === '' ? [] : [near]), ...peers.map(({ peer }) => peer)])]
  const asked = await Promise.all(
    names.slice(0, peersAsked).map(async (peer) => {
      const facts = await askedSite(console, { kind: 'site', peer, key, site })
      return { peer, facts }
    }),
  )
  const found = asked.find(({ facts }) => facts?.isCrawled) ?? asked.find(({ facts }) => facts !== undefined)
  if (found === undefined) return redirectAnswer(`/admin?unfound=${encodeURIComponent(site)}`, 303)
  return redirectAnswer(nodePath({ kind: 'site', peer: found.peer, key, site }), 303)
}

async function askedSite(console: Console, { peer, key }: SiteNode) {
  try {
    return await console.survey(peer).site(key)
  } catch (error) {
    // Silent, or of an older version.
    if (error instanceof PolyhistorError) return undefined
    throw error
  }
}

async function act(needs: Opened, request: PageRequest): Promise<HttpAnswer> {
  const form = new URLSearchParams(await request.text())
  const back = backOf(form.get('back') ?? '')
  return carriedOut(needs, request, back, () =>
    needs.console.actions.carryOut(readAction(Object.fromEntries(form)), actorOf(request)),
  )
}

async function undo(needs: Opened, request: PageRequest): Promise<HttpAnswer> {
  const id = Number(/\/(\d+)\/undo/.exec(request.target)?.[1])
  const back = new URLSearchParams(await request.text()).get('back')
  return carriedOut(needs, request, back === null ? '/admin/actions' : backOf(back), () =>
    needs.console.actions.undo(id, actorOf(request)),
  )
}

async function carriedOut(
  needs: Opened,
  request: PageRequest,
  back: string,
  work: () => Promise<ActionRecord>,
): Promise<HttpAnswer> {
  const isFragment = queryIn(request).has('fragment')
  const node = readNode(new URLSearchParams(queryOf(back)))
  try {
    const record = await work()
    if (!isFragment) return redirectAnswer(`${back}${back.includes('?') ? '&' : '?'}done=${record.id}`, 303)
    return pageAnswer(
      request,
      200,
      html`${actionNotice(record, nodeQuery(node))}${await factsOf(needs, node)}`,
    )
  } catch (error) {
    if (!(error instanceof PolyhistorError)) throw error
    const facts = html`${actionNotice(undefined, undefined, error.message)}${await factsOf(needs, node)}`
    if (isFragment) return pageAnswer(request, 200, facts)
    const root = await openPath(needs.console, pathTo(node), undefined)
    const screen = dataScreen({ tree: treeOf(consoleTexts.theNetwork, root, node), facts, selected: node })
    return pageAnswer(request, 400, needs.layout.page(screen))
  }
}

/** Where to go on: a node or another page of the console, never elsewhere. */
function backOf(written: string): string {
  if (written === 'storage' || written === 'roles') return `/admin/${written}`
  const query = nodeQuery(readNode(new URLSearchParams(written)))
  return query === '' ? '/admin' : `/admin?${query}`
}

function noticeIn({ console }: Pick<Opened, 'console'>, query: URLSearchParams): Html {
  const id = Number(query.get('done'))
  if (!Number.isSafeInteger(id) || id < 1) return actionNotice(undefined)
  const [record] = console.actions.list(1, id + 1)
  const node = readNode(query)
  const back = node.kind === 'network' ? undefined : nodeQuery(node)
  return actionNotice(record?.id === id ? record : undefined, back)
}

function actorOf({ header, remoteAddress = '' }: PageRequest): Actor {
  return {
    by: header('authorization') === undefined ? 'browser' : 'program',
    from: remoteAddress.slice(0, 100),
  }
}
