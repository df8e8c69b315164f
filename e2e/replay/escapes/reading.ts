// Attempts to read what belongs to others: the page around, the archive's cookies, another archived site's storage.

import { type Escape, type Surroundings, trial } from './escape.ts'

/** The page around has something that only it should know. */
const holder = '<!doctype html><title>secret</title><iframe src="HERE" width="300" height="200"></iframe>'

export function readingEscapes(around: Surroundings): Escape[] {
  return [...ofParent(around), ...ofSites(around)]
}

function ofParent(around: Surroundings): Escape[] {
  const held = (name: string, script: string, text = holder): Escape => ({
    name,
    page: trial(around, name, { script }),
    holder: text,
  })
  const listening = `${holder}<script>addEventListener('message', function (event) {
    if (event.data.url) location.href = event.data.url
    if (event.data.html) document.body.innerHTML += event.data.html
  })</script>`
  return [
    held('parent-title', 'if (parent.document.title !== document.title) found(parent.document.title)'),
    held('top-title', 'if (top.document.title !== document.title) found(top.document.title)'),
    held(
      'parent-fresh',
      'var other = fresh().parent.parent; if (other.document.title !== document.title) found(other.document.title)',
    ),
    held(
      'frame-element',
      'var element = fresh().parent.frameElement; if (element) found(element.ownerDocument.title)',
    ),
    held(
      'frame-script',
      "fresh().parent.frameElement.ownerDocument.defaultView.eval('location.href = \"' + caught() + '\"')",
    ),
    held(
      'message-url',
      "parent.postMessage({ url: caught() }, '*'); top.postMessage({ url: caught() }, '*')",
      listening,
    ),
    held(
      'message-html',
      "var html = '<img src=\"' + caught('.png') + '\">'; parent.postMessage({ html: html }, '*')",
      listening,
    ),
    held(
      'message-archive',
      `['load', 'replace-url', 'title', 'hashchange', 'unload', 'navigate'].forEach(function (kind) {
        var message = { wb_type: kind, type: kind, url: caught(), href: caught(), title: '<img src="' + caught('.png') + '">', ts: '2020', hash: caught(), icons: [{ href: caught('.png') }] }
        window.__WB_top_frame ? window.__WB_top_frame.postMessage(message, '*') : parent.postMessage(message, '*')
        fresh().parent.parent.postMessage(message, '*')
      })`,
      listening,
    ),
    {
      name: 'document-domain',
      page: trial(around, 'document-domain', {
        headers: { 'Origin-Agent-Cluster': '?0' },
        script: `
          var name = 'rogue.localhost'
          try { document.domain = name } catch (error) { document.domain = 'localhost' }
          if (parent.document.title !== document.title) found(parent.document.title)`,
      }),
      holder: `${holder}<script>document.domain = 'rogue.localhost'</script>`,
    },
  ]
}

function ofSites(around: Surroundings): Escape[] {
  const pair = (name: string, write: string, read: string): Escape => ({
    name,
    first: trial(around, `${name}-first`, { script: write }),
    page: trial(around, name, { script: read }),
  })
  return [
    {
      name: 'window-name',
      page: trial(around, 'window-name', {
        script: `
          if (/rogue/.test(location.host)) {
            window.name = 'secret'
            location.href = '${around.origin('victim')}/escape/window-name/first'
          }`,
      }),
      first: trial(around, 'window-name-first', {
        script: "if (window.name === 'secret') found(window.name)",
      }),
      holder,
    },
    pair(
      'cookie',
      "document.cookie = 'kept=secret; path=/'",
      'if (/secret/.test(document.cookie)) found(document.cookie)',
    ),
    pair(
      'cookie-fresh',
      "fresh().document.cookie = 'kept=secret; path=/'",
      'var text = fresh().document.cookie; if (/secret/.test(text)) found(text)',
    ),
    pair('local-storage', "localStorage.kept = 'secret'", 'if (localStorage.kept) found(localStorage.kept)'),
    pair(
      'local-storage-fresh',
      "fresh().localStorage.setItem('kept', 'secret')",
      "var value = fresh().localStorage.getItem('kept'); if (value) found(value)",
    ),
    pair(
      'database',
      `indexedDB.open('kept-secret').onsuccess = function () { document.documentElement.setAttribute('data-wrote', 'yes') }`,
      `indexedDB.databases().then(function (all) { all.forEach(function (one) { if (one.name === 'kept-secret') found(one.name) }) })`,
    ),
    pair(
      'caches',
      "caches.open('kept-secret')",
      'caches.keys().then(function (names) { if (names.length > 0) found(names.join()) })',
    ),
    pair(
      'broadcast',
      "setInterval(function () { new BroadcastChannel('kept').postMessage('secret') }, 50)",
      "new BroadcastChannel('kept').onmessage = function (event) { found(event.data) }",
    ),
    pair(
      'locks',
      "navigator.locks.request('kept-secret', function () { return new Promise(function () {}) })",
      'navigator.locks.query().then(function (all) { all.held.forEach(function (lock) { found(lock.name) }) })',
    ),
  ]
}
