"""Steps of the workflow `maintain`: what nobody needs any more is put away."""
