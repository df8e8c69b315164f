// Settings, for the owner: strangers are told neither what they are nor where things lie.

import { PolyhistorError } from '../../errors.ts'
import type { HttpAnswer } from '../../platform/network/http-server.ts'
import type { PageOwner, PageSettings } from '../archive.ts'
import { type PageRequest, type PageRoute, pageAnswer, redirectAnswer } from '../http.ts'
import type { Layout } from '../markup/layout.ts'
import { settingsScreen } from '../screens/status/settings.ts'

interface Needs {
  readonly settings?: PageSettings | undefined
  readonly owner: PageOwner
  readonly layout: Layout
}

const valueCharsMax = 1_000

export function settingsRoutes(needs: Needs): PageRoute[] {
  const shared = { host: 'archive', path: /^\/settings$/, isPage: true } as const
  return [
    { ...shared, methods: ['GET'], handle: (request) => show(needs, request) },
    { ...shared, methods: ['POST'], writes: true, handle: (request) => change(needs, request) },
  ]
}

async function show({ settings, owner, layout }: Needs, request: PageRequest): Promise<HttpAnswer> {
  const isOwner = owner.isOwner(request)
  const list = isOwner ? ((await settings?.list()) ?? []) : []
  return pageAnswer(request, 200, layout.page(settingsScreen({ settings: list, isOwner })))
}

async function change({ settings, layout }: Needs, request: PageRequest): Promise<HttpAnswer> {
  const form = new URLSearchParams(await request.text())
  const [name, value] = [form.get('name') ?? '', (form.get('value') ?? '').slice(0, valueCharsMax)]
  try {
    await settings?.change(name, value)
    return redirectAnswer('/settings', 303)
  } catch (error) {
    if (!(error instanceof PolyhistorError)) throw error
    // What was typed stays in its field, with what is wrong about it.
    const list = (await settings?.list()) ?? []
    const mistake = { name, value, message: error.message }
    return pageAnswer(request, 400, layout.page(settingsScreen({ settings: list, isOwner: true, mistake })))
  }
}
