// Webhooks on pages, for the owner alone. A secret is shown in the answer that makes it.

import { PolyhistorError } from '../../errors.ts'
import type { HttpAnswer } from '../../platform/network/http-server.ts'
import type { PageOwner, PageWatching } from '../archive.ts'
import { lastWord, type PageRequest, type PageRoute, pageAnswer, redirectAnswer } from '../http.ts'
import type { Layout } from '../markup/layout.ts'
import { PageError } from '../page-error.ts'
import { watchesClosed } from '../screens/changes/watches.ts'
import { webhooksScreen } from '../screens/changes/webhooks.ts'

interface Needs {
  readonly watching?: PageWatching | undefined
  readonly owner: PageOwner
  readonly layout: Layout
}

interface Shown {
  readonly secret?: { readonly url: string; readonly secret: string }
  readonly typed?: string
  readonly mistake?: string
}

const lettersMax = 20
const charsMax = 4_000

export function webhooksRoutes(needs: Needs): PageRoute[] {
  const shared = { host: 'archive', isPage: true } as const
  return [
    { ...shared, path: /^\/webhooks$/, methods: ['GET'], handle: (request) => show(needs, request) },
    {
      ...shared,
      path: /^\/webhooks$/,
      methods: ['POST'],
      writes: true,
      handle: (request) => add(needs, request),
    },
    {
      ...shared,
      path: /^\/webhooks\/[^/]+$/,
      methods: ['POST'],
      writes: true,
      handle: (request) => change(needs, request),
    },
  ]
}

async function show(
  { watching, owner, layout }: Needs,
  request: PageRequest,
  { secret, typed = '', mistake }: Shown = {},
): Promise<HttpAnswer> {
  if (watching === undefined || !owner.isOwner(request))
    return pageAnswer(request, 200, layout.page(watchesClosed))
  const { webhooks } = watching
  const shown = webhooks
    .list()
    .map((webhook) => ({ webhook, deadLetters: webhooks.deadLetters(webhook.id, lettersMax) }))
  const screen = webhooksScreen({ webhooks: shown, secret, typed, mistake })
  // Secrets are not for caches.
  const more = secret === undefined ? [] : ([['Cache-Control', 'no-store']] as const)
  return pageAnswer(request, mistake === undefined ? 200 : 400, layout.page(screen), { more })
}

async function add(needs: Needs, request: PageRequest): Promise<HttpAnswer> {
  const url = (new URLSearchParams(await request.text()).get('url') ?? '').slice(0, charsMax)
  try {
    const { webhook, secret } = await webhooksOf(needs).add({ url })
    return await show(needs, request, { secret: { url: webhook.url, secret } })
  } catch (error) {
    if (!(error instanceof PolyhistorError)) throw error
    return show(needs, request, { typed: url, mistake: error.message })
  }
}

async function change(needs: Needs, request: PageRequest): Promise<HttpAnswer> {
  const form = new URLSearchParams(await request.text())
  const id = lastWord(request.target)
  const webhooks = webhooksOf(needs)
  const action = form.get('action')
  switch (action) {
    case 'test':
      await webhooks.trial(id)
      break
    case 'pause':
    case 'resume':
      await webhooks.setPaused(id, action === 'pause')
      break
    case 'remove':
      await webhooks.remove(id)
      break
    case 'resend':
      await webhooks.resend(id, form.get('message')?.slice(0, charsMax))
      break
    case 'secret': {
      const { webhook, secret } = await webhooks.renewSecret(id)
      return show(needs, request, { secret: { url: webhook.url, secret } })
    }
    default:
      throw new PageError('request-malformed')
  }
  return redirectAnswer('/webhooks', 303)
}

function webhooksOf({ watching }: Needs): PageWatching['webhooks'] {
  if (watching === undefined) throw new PageError('request-malformed')
  return watching.webhooks
}
