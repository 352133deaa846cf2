/**
 * Both panoramas seen from their own places: a point of the house gets the colour that each of them has in its direction.
 *
 * What a panorama could not see from where it was taken (its distances tell) it does not colour, if the other one can.
 * World axes are those of three.js: x east, y up, z south; the faces of a panorama lie along east, up and north.
 */

export const VERTEX = /* glsl */ `
out vec3 place;
void main() {
  vec4 world = modelMatrix * vec4(position, 1.0);
  place = world.xyz;
  gl_Position = projectionMatrix * viewMatrix * world;
}`;

export const FRAGMENT = /* glsl */ `
precision highp float;
uniform samplerCube firstPicture, secondPicture, firstDistance, secondDistance;
uniform vec3 firstPlace, secondPlace;
uniform float progress;
uniform bool measured;
in vec3 place;
out vec4 colour;
const float EDGE = 0.008;

vec3 look(samplerCube picture, vec3 way) {
  return texture(picture, vec3(way.xy, -way.z)).rgb;
}

// Whether nothing stands before a point, nor beside that way: the colours of an edge run over into what lies behind it.
float sees(samplerCube distances, vec3 way) {
  float here = length(way);
  vec3 ahead = way / here;
  vec3 across = EDGE * normalize(cross(ahead, abs(ahead.y) < 0.9 ? vec3(0, 1, 0) : vec3(1, 0, 0)));
  vec3 down = cross(ahead, across);
  float there = min(
    texture(distances, ahead).r,
    min(
      min(texture(distances, ahead + across).r, texture(distances, ahead - across).r),
      min(texture(distances, ahead + down).r, texture(distances, ahead - down).r)
    )
  );
  return 1.0 - smoothstep(0.06, 0.2, here - there - 0.03 * here);
}

void main() {
  vec3 first = place - firstPlace, second = place - secondPlace;
  vec2 weight = vec2(1.0 - progress, progress);
  if (measured && progress > 0.0 && progress < 1.0) {
    vec2 seen = weight * vec2(sees(firstDistance, first), sees(secondDistance, second));
    if (seen.x + seen.y > 0.004) weight = seen / (seen.x + seen.y);
  }
  vec3 mixed = vec3(0.0);
  if (weight.x > 0.0) mixed += weight.x * look(firstPicture, first);
  if (weight.y > 0.0) mixed += weight.y * look(secondPicture, second);
  colour = vec4(mixed, 1.0);
}`;

export const DISTANCE_FRAGMENT = /* glsl */ `
precision highp float;
uniform vec3 firstPlace;
in vec3 place;
out vec4 colour;
void main() {
  colour = vec4(distance(place, firstPlace), 0.0, 0.0, 1.0);
}`;
