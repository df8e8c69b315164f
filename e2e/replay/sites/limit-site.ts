// What replay cannot keep as it was, and why. Pages are shown in an origin of their own, like no other, for the safety of
// readers; each of these is a price of that, or of wombat.

import { tiles } from '../files.ts'
import type { Answers, OriginOf } from '../origin-web.ts'
import { scriptTiles } from '../tile-page.ts'

export const limitPage = 'museum/limits/'

/** Tiles that stay dark in replay. */
export const limits = {
  'link-attribute': 'wombat gives attributes back as whole URLs, not as they were written',
  'html-back': 'the same, in markup that is read back',
  'reach-in': 'frames of one site are strangers to each other',
}

export function limitSite(origin: OriginOf): Answers {
  const museum = origin('museum')
  return {
    [limitPage]: tiles({
      title: 'Limits',
      tiles: {
        ...scriptTiles(...Object.keys(limits), 'not-a-limit'),
        holder: '<iframe id="same-frame" src="/html/framed" scrolling="no"></iframe>',
      },
      script: `
        function same(found, expected) { return found === expected || String(found) }
        tile('not-a-limit', function () { return true })
        tile('link-attribute', function () {
          var link = document.createElement('a')
          link.setAttribute('href', '../x')
          return same(link.getAttribute('href') + link.href, '../x${museum}/x')
        })
        tile('html-back', function () {
          var element = document.createElement('div')
          element.innerHTML = '<a href="/x">y</a><img src="z.png">'
          return same(element.innerHTML, '<a href="/x">y</a><img src="z.png">')
        })
        tile('reach-in', function () {
          return when(self, 'load').then(function () {
            return document.getElementById('same-frame').contentDocument.location.href === '${museum}/html/framed'
          })
        })`,
    }),
  }
}
