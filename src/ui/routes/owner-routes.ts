// A one-time link, opened: the browser becomes the owner's.
//
// Asking for the page costs nothing, so that a preview or a prefetch does not use the link up; the page posts itself by a
// script, or by a button. What it leads to has no code in its address.

import type { PageOwner } from '../archive.ts'
import { type PageRequest, type PageRoute, pageAnswer, redirectAnswer } from '../http.ts'
import type { Layout } from '../markup/layout.ts'
import { PageError } from '../page-error.ts'
import { ownerScreen } from '../screens/owner.ts'

interface Needs {
  readonly owner: PageOwner
  readonly layout: Layout
}

const path = /^\/owner\/[\w-]{1,100}$/

export function ownerRoutes({ owner, layout }: Needs): PageRoute[] {
  const shared = { host: 'archive', path, isPage: true, isOpen: true } as const
  return [
    {
      ...shared,
      methods: ['GET'],
      handle: async (request) =>
        pageAnswer(request, 200, layout.page(ownerScreen(codeOf(request))), {
          more: [['Cache-Control', 'no-store']],
        }),
    },
    {
      ...shared,
      methods: ['POST'],
      handle: async (request) => {
        if (owner.isOwner(request)) return redirectAnswer('/', 303)
        const cookie = owner.redeem(codeOf(request), request)
        if (cookie === undefined) throw new PageError('owner-link-spent')
        return redirectAnswer('/', 303, [['Set-Cookie', cookie]])
      },
    },
  ]
}

function codeOf({ target }: PageRequest): string {
  return target.split('?', 1)[0]!.slice('/owner/'.length)
}
