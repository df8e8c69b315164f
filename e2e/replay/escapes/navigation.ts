// Attempts to leave by navigation: of the whole window, of the frame, of a new window.

import { type Escape, type Surroundings, trial, trials } from './escape.ts'

export function navigationEscapes(around: Surroundings): Escape[] {
  return [...byScript(around), ...byMarkup(around), ...byClick(around)]
}

function byScript(around: Surroundings): Escape[] {
  return trials(around, {
    'top-location': 'top.location = caught()',
    'top-location-replace': 'window.top.location.replace(caught())',
    'top-location-fresh': 'fresh().top.location.href = caught()',
    'top-by-function': "Function('return this')().top.location.assign(caught())",
    'parent-location': 'parent.location.href = caught()',
    'own-location': 'location.href = caught()',
    'own-location-fresh': 'fresh().parent.location = caught()',
    'open-window': 'window.open(caught())',
    'open-top': "window.open(caught(), '_top')",
    'open-fresh': 'fresh().open(caught())',
    'open-blank-then-fetch': `
      var other = window.open('about:blank')
      other.document.write('<img src="' + caught('.png') + '">')`,
    'link-top': `
      document.body.innerHTML = '<a id=a target=_top>x</a>'
      document.getElementById('a').href = caught()
      document.getElementById('a').click()`,
    'link-blank': `
      var link = document.createElement('a')
      link.target = '_blank'
      link.href = caught()
      document.body.appendChild(link)
      link.click()`,
    'link-node': `
      var attribute = document.createAttribute('href')
      attribute.value = caught()
      var link = document.createElement('a')
      link.setAttributeNode(attribute)
      document.body.appendChild(link)
      link.click()`,
    'script-url': `location.href = 'javascript:top.location="' + caught() + '"'`,
    'script-url-frame': {
      body: `<iframe src="javascript:new Image().src='${around.live}/caught/script-url-frame.png';void 0"></iframe>`,
    },
    'made-base': `
      var base = document.createElement('base')
      base.href = '${around.live}/caught/'
      base.target = '_top'
      document.head.prepend(base)
      document.body.innerHTML = '<a id=b>x</a>'
      document.getElementById('b').setAttribute('href', 'made-base.html')
      document.getElementById('b').click()`,
    'made-refresh': `
      var meta = document.createElement('meta')
      meta.httpEquiv = 'refresh'
      meta.content = '0; url=' + caught()
      document.head.appendChild(meta)`,
    'form-post': `
      document.body.innerHTML = '<form id=f method=post><input name=a value=b></form>'
      document.getElementById('f').action = caught()
      document.getElementById('f').submit()`,
    'form-post-top': `
      document.body.innerHTML = '<form id=f method=post target=_top><input name=a value=b></form>'
      document.getElementById('f').action = caught()
      HTMLFormElement.prototype.submit.call(document.getElementById('f'))`,
    'form-button': `
      document.body.innerHTML = '<form><button id=b>x</button></form>'
      document.getElementById('b').formAction = caught()
      document.getElementById('b').click()`,
    'form-blank': `
      var form = document.createElement('form')
      form.target = '_blank'
      form.setAttribute('action', caught())
      document.body.appendChild(form)
      form.requestSubmit()`,
    download: `
      var link = document.createElement('a')
      link.download = 'caught-download.bin'
      link.href = URL.createObjectURL(new Blob(['x']))
      document.body.appendChild(link)
      link.click()`,
    'download-live': `
      var link = document.createElement('a')
      link.download = 'caught.bin'
      link.href = caught('.bin')
      document.body.appendChild(link)
      link.click()`,
  })
}

function byMarkup(around: Surroundings): Escape[] {
  return trials(around, {
    'meta-refresh': {
      head: `<meta http-equiv="refresh" content="0; url=${around.live}/caught/meta-refresh.html">`,
    },
    'meta-refresh-quoted': {
      head: `<META HTTP-EQUIV='Refresh' CONTENT="0;URL='${around.live}/caught/meta-refresh-quoted.html'">`,
    },
    'refresh-header': { headers: { Refresh: `0; url=${around.live}/caught/refresh-header.html` } },
    'frame-live': { body: `<iframe src="${around.live}/caught/frame-live.html"></iframe>` },
    'own-form': {
      body: `<form id="f" method="post" action="${around.live}/caught/own-form.html"><input name="a" value="b"></form>`,
      script: "document.getElementById('f').submit()",
    },
  })
}

/** With a person's click, browsers allow more. */
function byClick(around: Surroundings): Escape[] {
  const clicked = (name: string, markup: string): Escape => ({
    name,
    page: trial(around, name, { body: markup }),
    isClicked: true,
  })
  const target = (name: string) => `${around.live}/caught/${name}.html`
  return [
    clicked('click-top', `<a id="go" target="_top" href="${target('click-top')}">go</a>`),
    clicked('click-blank', `<a id="go" target="_blank" href="${target('click-blank')}">go</a>`),
    clicked(
      'click-script',
      `<button id="go" onclick="top.location.href = '${target('click-script')}'">go</button>`,
    ),
    clicked('click-open', `<button id="go" onclick="window.open('${target('click-open')}')">go</button>`),
    clicked('click-ping', `<a id="go" ping="${target('click-ping')}" href="#here">go</a>`),
  ]
}
