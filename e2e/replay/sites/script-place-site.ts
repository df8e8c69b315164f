// Scripts that ask where they are: addresses, windows, history, storage.

import { tiles } from '../files.ts'
import type { Answers, OriginOf } from '../origin-web.ts'
import { scriptTiles } from '../tile-page.ts'

export function scriptPlace(origin: OriginOf): Answers {
  const museum = origin('museum')
  const [, , host] = museum.split('/')
  return {
    'museum/script/place': tiles({
      title: 'Where am I?',
      tiles: scriptTiles(
        'address',
        'address-window',
        'address-document',
        'address-parts',
        'address-text',
        'origin-own',
        'top-own',
        'parent-own',
        'frame-element',
        'history',
        'history-relative',
        'hash',
        'cookie',
        'cookie-gone',
        'storage',
        'storage-session',
        'storage-names',
        'link-property',
        'image-property',
        'form-property',
        'domain',
        'anchor-origin',
        'this-global',
        'shadowed',
        'property-named',
        'regular',
        'url-object',
        'referrer',
        'own-message',
        'crypto',
      ),
      script: `
        function same(found, expected) { return found === expected || String(found) }
        tile('address', function () { return same(location.href, '${museum}/script/place') })
        tile('address-window', function () { return same(window.location.href, '${museum}/script/place') })
        tile('address-document', function () { return same(document.URL + document.location, '${museum}/script/place${museum}/script/place') })
        tile('address-parts', function () {
          return same([location.protocol, location.host, location.pathname, location.search].join(), 'http:,${host},/script/place,')
        })
        tile('address-text', function () { return same('' + location, '${museum}/script/place') })
        tile('origin-own', function () { return same(self.origin + location.origin, '${museum}${museum}') })
        tile('top-own', function () { return top === window && top === self })
        tile('parent-own', function () { return parent === window })
        tile('frame-element', function () { return window.frameElement === null })
        tile('hash', function () {
          location.hash = '#part'
          return same(location.href, '${museum}/script/place#part')
        })
        tile('history', function () {
          history.pushState({ number: 1 }, '', '/script/pushed?a=b')
          return same(location.pathname + location.search + history.state.number, '/script/pushed?a=b1')
        })
        tile('history-relative', function () {
          history.replaceState(null, '', 'place')
          return same(location.href, '${museum}/script/place')
        })
        tile('cookie', function () {
          document.cookie = 'colour=blue; path=/'
          document.cookie = 'size=7'
          return /colour=blue/.test(document.cookie) && /size=7/.test(document.cookie) || document.cookie
        })
        tile('cookie-gone', function () {
          document.cookie = 'gone=1'
          document.cookie = 'gone=1; expires=Thu, 01 Jan 1970 00:00:00 GMT'
          return !/gone/.test(document.cookie) || document.cookie
        })
        tile('storage', function () {
          localStorage.setItem('a', 1)
          localStorage.b = 'two'
          return same(localStorage.getItem('a') + localStorage.b + localStorage.getItem('c'), '1twonull')
        })
        tile('storage-session', function () {
          sessionStorage.setItem('a', 'x')
          sessionStorage.removeItem('a')
          return sessionStorage.getItem('a') === null
        })
        tile('storage-names', function () {
          localStorage.clear()
          localStorage.setItem('only', 1)
          return same(localStorage.length + localStorage.key(0) + Object.keys(localStorage).join(), '1onlyonly')
        })
        tile('link-property', function () {
          var link = document.createElement('a')
          link.href = '../x?y#z'
          return same([link.href, link.host, link.pathname, link.search, link.hash].join(), '${museum}/x?y#z,${host},/x,?y,#z')
        })
        tile('image-property', function () {
          var image = document.createElement('img')
          image.src = '/colour/91.png'
          return same(image.src + image.getAttribute('src'), '${museum}/colour/91.png/colour/91.png')
        })
        tile('form-property', function () {
          var form = document.createElement('form')
          form.action = '/search'
          return same(form.action, '${museum}/search')
        })
        tile('domain', function () { return same(document.domain, 'museum.localhost') })
        tile('anchor-origin', function () {
          var link = document.createElement('a')
          link.href = '/'
          return same(link.origin, '${museum}')
        })
        tile('this-global', function () { return (function () { return this.location.host })() === '${host}' })
        tile('shadowed', function () {
          var location = { href: 'mine' }
          var read = function (top) { return top.location }
          return location.href === 'mine' && read({ location: 3 }) === 3
        })
        tile('property-named', function () {
          var thing = { location: 'here', top: 1, parent: 2, document: 3, self: 4 }
          return thing.location === 'here' && thing['top'] + thing.parent + thing.document + thing.self === 10
        })
        tile('regular', function () { return 'a/location=b'.replace(/location\\s*=/, 'x') === 'a/xb' })
        tile('url-object', function () { return same(new URL('/a', location).href, '${museum}/a') })
        tile('referrer', function () { return same(document.referrer, '') })
        tile('own-message', function () {
          return new Promise(function (resolve) {
            addEventListener('message', function (event) { if (event.data === 'own') resolve(same(event.origin, '${museum}')) })
            window.postMessage('own', location.origin)
          })
        })
        tile('crypto', function () {
          return crypto.subtle.digest('SHA-256', new Uint8Array(1)).then(function (digest) { return digest.byteLength === 32 })
        })`,
    }),
  }
}
