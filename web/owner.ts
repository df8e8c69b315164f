// Presses the button of a one-time link, once somebody really looks at the page; its code does not stay in the history.

const form = document.querySelector<HTMLFormElement>('form.owner')

function open(): void {
  const action = form?.action
  if (form === null || action === undefined) return
  history.replaceState(null, '', '/')
  form.action = action
  form.submit()
}

// A page that is loaded ahead, in case it will be looked at, runs its scripts too.
if ((document as Document & { prerendering?: boolean }).prerendering)
  document.addEventListener('prerenderingchange', open, { once: true })
else open()
