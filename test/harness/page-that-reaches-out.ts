/** A page that tries every way of a browser to reach a host, and says on itself when it has tried them all. */
export function pageThatReachesOut(origin: string): string {
  const { host, hostname, port } = new URL(origin);
  return `<!doctype html><html><head><title>Ways out</title>
<link rel="dns-prefetch" href="${origin}"><link rel="preconnect" href="${origin}">
<link rel="prefetch" href="${origin}/prefetch"><link rel="preload" as="fetch" href="${origin}/preload">
<link rel="stylesheet" href="${origin}/css"><link rel="icon" href="${origin}/icon"><link rel="manifest" href="${origin}/manifest">
<style>@font-face{font-family:f;src:url(${origin}/font)} body{font-family:f;background:url(${origin}/background)}</style>
<script type="speculationrules">{"prerender":[{"source":"list","urls":["${origin}/prerender"]}]}</script>
<script src="${origin}/script"></script></head>
<body><main id="main">trying</main><img src="${origin}/img"><iframe src="${origin}/iframe"></iframe>
<iframe src="file:///etc/hostname"></iframe><iframe src="chrome://version"></iframe>
<iframe src="data:text/html,<script>fetch('${origin}/from-data')</script>"></iframe>
<object data="${origin}/object"></object><embed src="${origin}/embed"><video src="${origin}/video"></video>
<audio src="${origin}/audio"></audio><a id="ping" href="#x" ping="${origin}/ping">p</a><a id="get" target="hole" download href="${origin}/download">d</a>
<form id="form" method="post" target="hole" action="${origin}/form"></form><iframe name="hole"></iframe>
<script type="module">
const attempt = (work) => { try { const made = work(); if (made?.catch) made.catch(() => {}); } catch {} };
attempt(() => fetch('${origin}/fetch', { mode: 'no-cors' }));
attempt(() => fetch('${origin}/keepalive', { mode: 'no-cors', keepalive: true, method: 'POST' }));
attempt(() => { const x = new XMLHttpRequest(); x.open('GET', '${origin}/xhr'); x.send(); });
attempt(() => navigator.sendBeacon('${origin}/beacon', 'x'));
attempt(() => new EventSource('${origin}/events'));
attempt(() => new WebSocket('ws://${host}/socket'));
attempt(() => new WebTransport('https://${host}/transport'));
attempt(() => new Worker(URL.createObjectURL(new Blob(["importScripts('${origin}/import')"]))));
attempt(() => new SharedWorker('data:text/javascript,importScripts("${origin}/shared")'));
attempt(() => navigator.serviceWorker.register('/worker.js'));
attempt(() => window.open('${origin}/window'));
attempt(() => document.getElementById('get').click());
attempt(() => document.getElementById('ping').click());
attempt(() => document.getElementById('form').submit());
attempt(() => import('${origin}/module'));
attempt(() => fetch('/redirect'));
attempt(async () => {
  const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:${hostname}:${port}' },
    { urls: 'turn:${host}?transport=tcp', username: 'a', credential: 'b' }] });
  peer.createDataChannel('x');
  await peer.setLocalDescription(await peer.createOffer());
});
setTimeout(() => { document.getElementById('main').innerHTML = '<p class="done">Every way was tried.</p>'; }, 1000);
</script></body></html>`;
}
