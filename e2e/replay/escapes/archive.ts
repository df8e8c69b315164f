// Attempts on the archive itself: to write through its interface, and to show its pages inside an archived one.

import { type Escape, type Surroundings, trials } from './escape.ts'

export function archiveEscapes(around: Surroundings): Escape[] {
  const { archive, live } = around
  const place = `${archive}/api/v1/jobs`
  const job = (name: string) => JSON.stringify({ url: `${live}/caught/${name}`, scope: 'page' })
  return trials(around, {
    'write-fetch': `fetch('${place}', { method: 'POST', mode: 'no-cors', credentials: 'include', body: '${job('write-fetch')}' })`,
    'write-json': `fetch('${place}', { method: 'POST', credentials: 'include', headers: { 'Content-Type': 'application/json' }, body: '${job('write-json')}' })`,
    'write-fresh': `fresh().fetch('${place}', { method: 'POST', mode: 'no-cors', credentials: 'include', body: '${job('write-fresh')}' })`,
    'write-request': `
      var request = new XMLHttpRequest()
      request.open('POST', '${place}')
      request.withCredentials = true
      request.send('${job('write-request')}')`,
    'write-beacon': `navigator.sendBeacon('${place}', '${job('write-beacon')}')`,
    'write-form': `
      document.body.innerHTML = '<form id=f method=post enctype="text/plain"><input id=i></form>'
      document.getElementById('f').action = '${place}'
      document.getElementById('i').name = '${job('write-form').slice(0, -1)},"include":["'
      document.getElementById('i').value = '"]}'
      document.getElementById('f').submit()`,
    'write-form-markup': {
      body: `<form id="f" method="post" target="_top" action="${place}"><input name="url" value="${live}/caught/write-form-markup"></form>`,
      script: "document.getElementById('f').submit()",
    },
    'write-same-host': `fetch('/api/v1/jobs', { method: 'POST', body: '${job('write-same-host')}' })`,
  })
}
