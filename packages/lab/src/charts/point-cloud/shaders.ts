/**
 * Positions are float32, and the zoom may be very large: the origin is given in two parts, so that its difference from
 * nearby positions is exact and points do not jitter.
 */
export const VERTEX_SHADER = `#version 300 es
precision highp float;
layout(location = 0) in vec3 position;
layout(location = 1) in uint colour;
uniform vec3 originHigh;
uniform vec3 originLow;
uniform mat3 matrix;
uniform float diameter;
uniform float alpha;
uniform float depthFade;
uniform sampler2D palette;
flat out vec4 tint;
flat out float radius;
flat out float extent;

void main() {
  vec3 projected = matrix * ((position - originHigh) - originLow);
  float depth = 1.0 + projected.z;
  gl_Position = vec4(projected.xy, 0.0, depth);
  radius = 0.5 * diameter / max(depth, 0.05);
  extent = 2.0 * radius + 1.0;
  gl_PointSize = extent;
  vec4 paint = texelFetch(palette, ivec2(int(colour), 0), 0);
  float kept = alpha * mix(1.0, clamp(1.0 - (depth - 0.75) * 0.8, 0.5, 1.0), depthFade);
  tint = vec4(paint.rgb, 1.0) * paint.a * kept;
}`;

/** A round dot with an antialiased edge of one pixel. */
export const FRAGMENT_SHADER = `#version 300 es
precision highp float;
flat in vec4 tint;
flat in float radius;
flat in float extent;
out vec4 result;

void main() {
  float away = extent * length(gl_PointCoord - 0.5);
  float cover = clamp(radius - away + 0.5, 0.0, 1.0);
  if (cover <= 0.0) discard;
  result = tint * cover;
}`;
